import type { Conversation, Details, Download, Message, Model, Outcome, Round, Speculation, Stats } from '../src/lib/backend/backend';
import { Tally } from '../src/lib/chart/reading';
import { beforeLoading } from '../src/lib/preferences.svelte';
import { rounds } from './rounds';

export function model(part: Partial<Model> & Pick<Model, 'id' | 'role' | 'folder'>): Model {
  const target = part.role === 'target';
  return {
    source: part.folder === null ? null : 'folder',
    repo: null,
    commit: null,
    kind: target ? 'gemma3_text' : 'dspark',
    bytes: 536_223_056,
    summary: target ? 'Gemma 3, 18 layers × 640, 268 million parameters, bfloat16' : 'γ 5, 2 layers × 640, Markov head, bfloat16',
    drafts: target ? null : { limit: 5, usual: 5, confident: true },
    chatTemplate: target ? true : null,
    broken: null,
    ...part,
  };
}

export const commit = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';

export function download(part: Partial<Download> & Pick<Download, 'id' | 'state'>): Download {
  return {
    repo: 'google/gemma-4-E2B-it',
    commit,
    reason: null,
    code: null,
    total: 10_200_000_000,
    arrived: 2_550_000_000,
    phase: null,
    rate: null,
    remainingSeconds: null,
    model: null,
    ...part,
  };
}

export function details(part: Partial<Details> = {}): Details {
  return {
    name: 'Gemma 3, 18 layers × 640',
    parameters: 268_098_176,
    quantization: 'bfloat16',
    reach: { most: 32_768, bytesPerToken: 3072, window: 512, bytesPerPosition: 15_360 },
    need: { context: 8192, weights: 536_196_352, caches: 54_248_448, working: 126_353_408, total: 716_798_208 },
    stopIds: [1, 106],
    skipped: [],
    code: [],
    trained: null,
    ...part,
  };
}

export const lookup = model({
  id: 'lookup',
  role: 'drafter',
  folder: null,
  kind: 'lookup',
  summary: 'copies what followed the newest words where they stood before',
  bytes: 0,
  drafts: { limit: 10, usual: 10, confident: false },
});

export const drafting: Speculation = { kind: 'on', limit: 5, schedule: 'auto', calibrated: false };
export const plainly = (reason: string): Speculation => ({ kind: 'off', reason });

export const models: Model[] = [
  model({ id: 'target-270m', role: 'target', folder: '/Volumes/Models/gemma-3-270m-it' }),
  model({
    id: 'target-base',
    role: 'target',
    folder: '/Volumes/Models/gemma-3-270m',
    chatTemplate: false,
  }),
  model({
    id: 'target-12b',
    role: 'target',
    kind: 'gemma4',
    folder: '/Volumes/Archive/gemma-4-12b-it',
    bytes: 23_870_000_000,
    summary: 'Gemma 4 12B, 11.9 billion parameters, bfloat16',
    broken: 'The folder /Volumes/Archive/gemma-4-12b-it is not there any more.',
  }),
  model({ id: 'drafter-5', role: 'drafter', folder: '/Volumes/Models/dspark-270m', bytes: 41_200_000 }),
  model({
    id: 'drafter-12',
    role: 'drafter',
    folder: '/Volumes/Models/dspark-270m-long',
    drafts: { limit: 12, usual: 12, confident: true },
    bytes: 58_900_000,
    summary: 'γ 12, 3 layers × 640, Elman head, bfloat16',
  }),
  lookup,
];

const essay = `A river does not choose its valley once. It keeps choosing, every spring, a little to the left, a little to the right, and what looks like a decision on a map is only the sum of a great many small agreements between water and stone.

Three things decide where it goes next:

1. Slope. Water follows the steepest way that is open to it, and steep ground wears away first.
2. Load. A river that carries sand has less strength left to cut, so it drops the sand and wanders around it.
3. Time. Given enough of it, even the flattest plain remembers every bed the river has ever had.

So the honest answer to your question is that nobody designs a meander. It is what happens when a strong current has to agree, again and again, with ground that is only slightly weaker than itself.`;

export function statsOf(all: readonly Round[]): Stats {
  const tally = new Tally();
  for (const round of all) tally.add(round);
  const { rounds, tokens, proposed, accepted, proposedAt, acceptedAt, tokensPerRound, tokensPerSecond } = tally.reading();
  return {
    promptTokens: 27,
    reusedTokens: 0,
    readAgain: null,
    written: 0,
    tokens,
    rounds,
    proposed,
    accepted,
    parked: 0,
    plainStepSeconds: null,
    proposedAt: [...proposedAt],
    acceptedAt: [...acceptedAt],
    tokensPerRound,
    tokensPerSecond,
    waits: rounds,
    loadSeconds: 0.8,
    prefillSeconds: 0.04,
    measuringSeconds: 0,
    firstTokenSeconds: 0.89,
    decodeSeconds: 0.05 * rounds,
    thoughtSeconds: all.filter(({ thought }) => thought !== '').reduce((sum, { seconds }) => sum + seconds, 0),
    peakMemoryBytes: 1_240_000_000,
  };
}

export function outcome(all: readonly Round[], part: Partial<Outcome> = {}): Outcome {
  return {
    finish: 'eos',
    unfinished: null,
    raw: '',
    target: 'target-270m',
    drafter: 'drafter-5',
    speculation: drafting,
    controls: beforeLoading.controls,
    stats: statsOf(all),
    rerun: null,
    ...part,
  };
}

export function message(part: Partial<Message> & Pick<Message, 'id' | 'author' | 'text'>): Message {
  return { siblings: [part.id], attachments: [], state: 'complete', thought: '', note: null, code: null, outcome: null, ...part };
}

export const essayRounds = (gamma: number) => rounds(essay, gamma);

const musing = `They ask who decides where a river goes. It sounds like a question about planning, but nobody plans a meander.

So: what decides is slope, load and time. Slope first, because it is the strongest. I should not make it a lecture; a picture at the start, three points, and one sentence that answers the question.`;

/** Rounds that think instead of answering. */
export function thoughtRounds(gamma: number, text = musing): Round[] {
  return rounds(text, gamma).map((round) => ({ ...round, thought: round.text, text: '' }));
}

/** As the database knows it; a test gives what matters to it. */
export function conversation(part: Partial<Conversation> & Pick<Conversation, 'id' | 'title'>): Conversation {
  return { pinned: false, tags: [], system: '', target: null, drafter: null, updatedAt: 0, ...part };
}

const hour = 3_600_000;
export function conversations(now: number): Conversation[] {
  const pair = { target: 'target-270m', drafter: 'drafter-5' };
  return [
    conversation({ id: 1, title: 'Why rivers meander', updatedAt: now - hour / 4, ...pair }),
    conversation({ id: 2, title: 'A letter to the landlord about the heating', updatedAt: now - 20 * hour, ...pair }),
    conversation({ id: 3, title: 'Sourdough at altitude', updatedAt: now - 76 * hour, ...pair }),
    conversation({ id: 4, title: 'Base model sketch', updatedAt: now - 300 * hour, target: 'target-base' }),
  ];
}

export function history(): Map<number, Message[]> {
  const short = rounds(
    'Because the outer bank of every bend is cut faster than the inner one. The current is quicker there, so it takes earth away; on the inside it is slow and lets the earth fall.',
    5,
  );
  const text = short.map((round) => round.text).join('');
  return new Map([
    [
      1,
      [
        message({ id: 11, author: 'user', text: 'Why do rivers meander?' }),
        message({
          id: 12,
          author: 'assistant',
          text,
          outcome: outcome(short, {
            raw: `${text}<end_of_turn>`,
            stats: { ...statsOf(short), promptTokens: 530, reusedTokens: 512, parked: 4, plainStepSeconds: 0.031 },
          }),
        }),
        message({ id: 13, author: 'user', text: 'And who decides where it goes?' }),
        message({
          id: 14,
          author: 'assistant',
          thought: musing,
          text: 'Nobody. Slope, load and time do, a little every spring.',
          outcome: outcome([...thoughtRounds(5), ...short.slice(0, 4)], {
            raw: `<|channel>thought\n${musing}<channel|>Nobody. Slope, load and time do, a little every spring.<turn|>`,
          }),
        }),
        message({ id: 15, author: 'user', text: 'How long does it take?' }),
        message({
          id: 16,
          author: 'assistant',
          thought: musing.slice(0, 150),
          text: '',
          note: 'The budget was used up while the model was thinking.',
          outcome: outcome(thoughtRounds(5, musing.slice(0, 150)), {
            finish: 'length',
            unfinished: 'thought',
            raw: `<|channel>thought\n${musing.slice(0, 150)}`,
          }),
        }),
      ],
    ],
    [
      2,
      [
        message({ id: 21, author: 'user', text: 'Write to my landlord: the heating has been off since Friday.' }),
        message({
          id: 22,
          author: 'assistant',
          text: 'Dear Mr Okafor,\n\nthe heating in the flat has been off since Friday evening, and',
          state: 'stopped',
          outcome: outcome(short.slice(0, 8), { finish: 'cancelled' }),
        }),
        message({ id: 23, author: 'user', text: 'Go on, please.' }),
        message({ id: 24, author: 'assistant', text: 'it is now fourteen degrees', state: 'interrupted' }),
        message({ id: 25, author: 'user', text: 'Once more.' }),
        message({
          id: 26,
          author: 'assistant',
          text: '',
          state: 'failed',
          note: 'This conversation has 33,120 tokens, and the target reads at most 32,768.',
        }),
        message({ id: 27, author: 'user', text: 'Shorter then.' }),
        message({
          id: 28,
          author: 'assistant',
          text: 'The heating has been off since Friday; please send someone today.',
          outcome: outcome(rounds('The heating has been off since Friday; please send someone today.', 0), {
            drafter: null,
            speculation: plainly('no drafter is chosen'),
          }),
        }),
      ],
    ],
  ]);
}
