"""A priority queue: a heap of four children a node [Johnson 1975], of nodes by their keys."""

from ....jit import subroutine

ARITY = 4


@subroutine
def sift_down(keys, nodes, size):
    """Fill the root of a heap with the entry behind its last one."""
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
    """Enter a key and its node behind the last entry of a heap."""
    while hole and keys[(hole - 1) // ARITY] > key:
        parent = (hole - 1) // ARITY
        keys[hole], nodes[hole] = keys[parent], nodes[parent]
        hole = parent
    keys[hole], nodes[hole] = key, node
