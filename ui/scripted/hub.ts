// What a Hub may have: the tests and `npm run dev:mock` show it.
import type { CataloguePair, Hit, InPlace, Offer } from '../src/lib/backend/backend';
import { commit } from './samples';

export const hit: Hit = {
  repo: 'ada/gemma-3-270m-it-dspark',
  downloads: 1234,
  licence: 'apache-2.0',
  gated: 'auto',
  updated: '2026-11-02T09:00:00.000Z',
  looksLikeDrafter: true,
  baseModels: ['google/gemma-3-270m-it'],
};

export const pair: CataloguePair = {
  target: 'google/gemma-4-E2B-it',
  drafter: 'rasyosef/gemma-4-E2B-it-dspark',
  kind: 'speculators-dspark',
  limit: 5,
  licence: 'apache-2.0',
  bytes: 500_000_000,
  published: { tokensPerRound: 3.42, on: 'GSM8K' },
};

export const pairs: CataloguePair[] = [
  pair,
  { ...pair, drafter: 'google/gemma-4-E2B-it-assistant', kind: 'assistant', limit: null, bytes: 157_565_344, published: null },
  {
    ...pair,
    target: 'google/gemma-4-12B-it',
    drafter: 'deepseek-ai/dspark_gemma4_12b_block7',
    kind: 'deepspec',
    limit: 7,
    licence: null,
    bytes: 6_860_000_000,
    published: { tokensPerRound: 6.05, on: 'GSM8K, temperature 1' },
  },
];

export const offer: Offer = {
  repo: hit.repo,
  commit,
  licence: 'apache-2.0',
  gated: 'no',
  page: `https://huggingface.co/${hit.repo}`,
  files: 3,
  skipped: [{ path: 'pytorch_model.bin', why: 'a format that is not read' }],
  bytes: 500_000_000,
  toFetch: 400_000_000,
  toWrite: 400_000_000,
  free: 120_000_000_000,
  here: null,
  judgement: {
    role: 'drafter',
    kind: 'dspark',
    summary: 'γ 5, 2 layers × 640, Markov head, bfloat16',
    need: null,
    shortage: null,
    fits: [
      { model: 't', misfit: null },
      { model: 'b', misfit: 'The drafter was made for a target whose hidden size is 2560, this one’s is 640.' },
    ],
  },
  unknown: null,
  code: null,
};

export const elsewhere: InPlace[] = [
  {
    source: 'huggingFaceCache',
    repo: 'google/gemma-4-E4B-it',
    commit,
    folder: '/Volumes/Data/huggingface/hub/models--google--gemma-4-E4B-it/snapshots/1a2b3c4',
    bytes: 15_990_000_000,
    role: 'target',
    unusable: null,
    model: null,
  },
  {
    source: 'lmStudio',
    repo: 'lmstudio-community/gemma-4-12B-it-GGUF',
    commit: null,
    folder: '/Volumes/Data/lmstudio/models/lmstudio-community/gemma-4-12B-it-GGUF',
    bytes: 7_100_000_000,
    role: null,
    unusable: 'model.safetensors is missing.',
    model: null,
  },
];
