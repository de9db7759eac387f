import type { Experiment, Json } from '../api/types';

export type Rule = 'ucb' | 'thompson' | 'supkernelucb' | 'greedy' | 'uniform';

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function policyName(spec: Experiment['spec']): string {
  return typeof spec?.policy === 'string' ? spec.policy : 'custom';
}

// The spec's rule; a spec that does not say has the one of its preset.
export function ruleOf(spec: Experiment['spec']): Rule {
  const rule = spec?.rule;
  if (isObject(rule) && typeof rule.type === 'string') return rule.type as Rule;
  const policy = policyName(spec);
  if (policy === 'greedy' || policy === 'uniform') return policy;
  if (policy.endsWith('-ts')) return 'thompson';
  return policy === 'supk-ucb' ? 'supkernelucb' : 'ucb';
}

export interface SpecRow {
  section: string;
  name: string;
  value: string;
}

// The spec as rows, nested parts as names with dots; long lists are counted, not printed.
export function specRows(spec: Experiment['spec']): SpecRow[] {
  const rows: SpecRow[] = [];
  for (const [key, value] of Object.entries(spec ?? {})) {
    if (isObject(value)) flatten(rows, key, '', value);
    else rows.push({ section: '', name: key, value: brief(value) });
  }
  return rows;
}

function flatten(rows: SpecRow[], section: string, prefix: string, object: { [key: string]: Json }): void {
  for (const [key, value] of Object.entries(object)) {
    if (isObject(value)) flatten(rows, section, `${prefix}${key}.`, value);
    else rows.push({ section, name: prefix + key, value: brief(value) });
  }
}

// Numbers as they were meant: 0.1 * 0.1 is shown as 0.01.
function tidy(_: string, value: Json): Json {
  return typeof value === 'number' ? Number(value.toPrecision(12)) : value;
}

function brief(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, tidy);
  if (text.length <= 80) return text;
  return Array.isArray(value) ? `${value.length} entries` : `${text.slice(0, 77)}...`;
}

// How many leading dimensions of a state are the context, if the spec says so.
export function contextDimension(spec: Experiment['spec']): number | null {
  const kernel = spec?.kernel;
  return isObject(kernel) && typeof kernel.context_dim === 'number' ? kernel.context_dim : null;
}
