"""Contexts: a thermostat. The outside temperature is given, the setting is ours, and comfort is best on a curve that
nobody told the policy. It learns on anchors, a few of the states it has seen, and is saved on the way."""

import pickle

import numpy as np

import ridgerunner as rr

policy = rr.Policy("ek-ucb", kernel=rr.Gaussian(0.3), ridge=0.1)
settings = np.linspace(0, 1, 11)


def comfort(outside, setting):
    return 1 - (setting - (0.8 - 0.5 * outside * outside)) ** 2


early = late = 0.0
for t in range(400):
    outside = np.fmod(0.618034 * t, 1.0)
    setting = settings[policy.decide(settings, context=outside).index]
    policy.observe([outside, setting], comfort(outside, setting))
    regret = comfort(outside, settings).max() - comfort(outside, setting)
    early, late = early + (t < 100) * regret, late + (t >= 100) * regret
    if t == 200:
        policy = pickle.loads(pickle.dumps(policy))  # a restart changes nothing
print(f"regret {early:.2f} in 100 rounds, then {late:.2f} in 300")
print(f"{policy.stats()['anchors']} anchors for {policy.stats()['t']} observations")
