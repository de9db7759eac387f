#!/usr/bin/python3
"""The golden numbers of stream_test.cpp, from an implementation that shares no code with the library.

Prints the two tables of the test. Philox and the draws are written from their definitions with Python's
integers; the normal quantile is AS 241 over a logarithm by series, in the order of operations that the library
promises, and must agree with statistics.NormalDist to 1e-13.
"""

import math
import statistics

WORD = 2**32
PURPOSES = {"choice": 1, "environment": 2, "context": 3, "noise": 4, "run": 5, "test": 6}
STREAMS = [(0, "choice", 0), (1, "noise", 2), (20260731, "context", 1000), (2**64 - 1, "test", 2**64 - 1),
           (0x123456789ABCDEF0, "environment", 2**32 + 5)]
PROBABILITIES = [1e-300, 1e-20, 1e-5, 0.01, 0.07, 0.3, 0.5, 0.9, 0.975, 0.999999]
REJECTING = 6148914691236517206  # about 2^64/3: a third of all draws is rejected


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        first, second = divmod(0xD2511F53 * c[0], WORD), divmod(0xCD9E8D57 * c[2], WORD)
        c = [second[0] ^ c[1] ^ k[0], second[1], first[0] ^ c[3] ^ k[1], first[1]]
        k = [(k[0] + 0x9E3779B9) % WORD, (k[1] + 0xBB67AE85) % WORD]
    return c


assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


def bits(seed, purpose, step):
    block = 0
    while True:
        c = philox([block, purpose, step % WORD, step // WORD], [seed % WORD, seed // WORD])
        yield c[0] + WORD * c[1]
        yield c[2] + WORD * c[3]
        block += 1


def log(x):
    m, exponent = math.frexp(x)
    if m < 0.70710678118654752:
        m, exponent = 2 * m, exponent - 1
    s = (m - 1) / (m + 1)
    series = 0.0
    for k in range(23, 1, -2):
        series = (series + 1 / k) * (s * s)
    return exponent * 0.693147180369123816490 + (2 * s + (2 * s * series + exponent * 1.90821492927058770002e-10))


A = [3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
     4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3]
B = [1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3, 2.1213794301586595867e+4,
     3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3]
C = [1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4]
D = [1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
     1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9]
E = [6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7]
F = [1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4,
     1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15]


def horner(coefficients, x):
    value = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        value = value * x + c
    return value


def quantile(p):
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        x = q * (horner(A, r) / horner(B, r))
    else:
        r = math.sqrt(-log(p if q < 0 else 1 - p))
        x = horner(C, r - 1.6) / horner(D, r - 1.6) if r <= 5 else horner(E, r - 5) / horner(F, r - 5)
        x = -x if q < 0 else x
    independent = statistics.NormalDist().inv_cdf(p)
    assert abs(x - independent) <= 1e-13 * abs(independent), (p, x, independent)
    return x


def uniform(draw):
    return (draw >> 11) / 2**53


def normal(draw):
    return quantile(((draw >> 12) + 0.5) / 2**52)


def index(draws, size):
    runs = 2**64 // size  # complete runs of 0 .. size-1; the incomplete one is at the bottom
    while True:
        draw = next(draws)
        if draw >= 2**64 - runs * size:
            return draw % size


def main():
    for seed, purpose, step in STREAMS:
        def take(n, convert):
            draws = bits(seed, PURPOSES[purpose], step)
            return ", ".join(convert(next(draws)) for _ in range(n))

        def indices(size):
            draws = bits(seed, PURPOSES[purpose], step)
            return ", ".join(str(index(draws, size)) for _ in range(3))

        print(f"{{{seed}u, Purpose::{purpose}, {step}u, {{{take(3, lambda d: f'{d:#018x}')}}}, "
              f"{{{take(3, lambda d: uniform(d).hex())}}}, {{{take(5, lambda d: normal(d).hex())}}}, "
              f"{{{indices(10)}}}, {{{indices(REJECTING)}}}}},")
    for p in PROBABILITIES:
        print(f"{{{p!r}, {quantile(p).hex()}}},")
    print("run_seed(7, 0 .. 2):", ", ".join(f"{next(bits(7, PURPOSES['run'], run)):#018x} >> 1" for run in range(3)))


if __name__ == "__main__":
    main()
