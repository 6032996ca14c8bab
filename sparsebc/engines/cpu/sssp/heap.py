"""Priority queue of nodes by keys: a 4-ary heap [Johnson 1975]."""

from ....jit import subroutine

ARITY = 4


@subroutine
def sift_down(keys, nodes, size):
    """Replace the root by the entry at ``size``, and restore the heap."""
    key, node = keys[size], nodes[size]
    hole = 0
    while ARITY * hole + 1 < size:
        child = ARITY * hole + 1
        for other in range(child + 1, min(ARITY * hole + ARITY + 1, size)):
            if keys[other] < keys[child]:
                child = other
        if keys[child] >= key:
            break
        keys[hole], nodes[hole] = keys[child], nodes[child]
        hole = child
    keys[hole], nodes[hole] = key, node


@subroutine
def sift_up(keys, nodes, hole, key, node):
    """Insert a key and its node at ``hole``, the end of the heap."""
    while hole and keys[(hole - 1) // ARITY] > key:
        parent = (hole - 1) // ARITY
        keys[hole], nodes[hole] = keys[parent], nodes[parent]
        hole = parent
    keys[hole], nodes[hole] = key, node
