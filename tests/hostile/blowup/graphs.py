"""Programs whose functions are large graphs, and basic samples of them: hard for whoever infers the branches.

graphs.py FUNCTIONS JUMPS FOLDER [SHAPE] writes FOLDER/binary and FOLDER/samples."""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from files import CODE, FUNC, RET, pack, program  # noqa: E402

BLOCK = 9  # bytes: a nop of three, and a conditional jump with a distance of four


class Random:
    """The same numbers in every release of Python."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1
        return (self.state >> 33) % limit


def anywhere(rng, _, jumps):
    return rng.below(jumps + 1)


def near(rng, block, jumps):
    return min(max(block + rng.below(41) - 20, 0), jumps)


def onward(rng, block, jumps):
    return block + 1 + rng.below(jumps - block)


def ladder(_, block, jumps):
    """Forth to the mirror image: each jump over all that are within."""
    return jumps - block


SHAPES = {shape.__name__: shape for shape in (anywhere, near, onward, ladder)}


def jump_graphs(functions, jumps, shape='anywhere', sampled=2, most=20, seed=1):
    """A program of so many functions, each with so many blocks that end with a conditional jump and one that returns;
    and basic samples of one in `sampled` of the blocks, each 2^0 to 2^most times.  Where the jumps lead: SHAPES."""
    rng, target = Random(seed), SHAPES[shape]
    size = BLOCK * jumps + 16 & ~15
    code, samples = [], [b'E cycles\n']
    for function in range(functions):
        start = CODE + function * size
        for block in range(jumps):
            code.append(b'\x0f\x1f\0\x0f\x84' + pack('<i', BLOCK * (target(rng, block, jumps) - block - 1)))
            if not rng.below(sampled):
                samples.append(b'S %x %d\n' % (start + BLOCK * block, 1 << rng.below(most + 1)))
        code.append(RET * (size - BLOCK * jumps))
    rows = [(f'f{i}', CODE + i * size, size, FUNC) for i in range(functions)]
    return {'binary': program(b''.join(code), rows).bytes(), 'samples': b''.join(samples)}


def functions_of(shape):
    """n functions of 300 jumps: there is a limit for each, and their sum must have one, too."""
    return lambda n: jump_graphs(n, 300, shape)


KINDS = {'graphs-' + shape: (functions_of(shape), 20, 4) for shape in SHAPES}
KINDS['graphs-large'] = (lambda n: jump_graphs(n, 1000), 30, 2)
KINDS['graph-one'] = (lambda n: jump_graphs(1, n), 1500, 600)

if __name__ == '__main__':
    for name, content in jump_graphs(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[4:5]).items():
        with open(os.path.join(sys.argv[3], name), 'wb') as file:
            file.write(content)
