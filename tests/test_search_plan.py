"""How a GPU shares its memory out: arithmetic, which needs no GPU."""

from hypothesis import given
from hypothesis import strategies as st

from sparsebc.engines.cuda.layout import Plan

SIZES = st.integers(0, 2**44)


@given(fixed=SIZES, each=st.lists(SIZES, max_size=5), memory=SIZES, most=st.integers(1, 1000))
def test_as_many_slots_as_fit(fixed, each, memory, most):
    """One in the least memory, and none is left out that has room."""
    plan = Plan(fixed, {str(number): size for number, size in enumerate(each)})
    slots = plan.slots(memory, most)
    assert 1 <= slots <= most
    assert plan.slots(plan.least, most) == 1
    if memory >= plan.least:
        assert fixed + sum(plan.sizes(slots).values()) <= memory
    if slots < most and plan.slot:
        assert fixed + sum(plan.sizes(slots + 1).values()) > memory
