// What the demo may begin with instead, by name: `?show=parked`.
import { type Phase, Refusal, type Round, type Speculation } from '../src/lib/backend/backend';
import type { Race } from '../src/lib/backend/comparing';
import type { ScriptedBackend } from './backend';
import { lane } from './comparison';
import { hit } from './hub';
import { stream, traced } from './much';
import { drafting, essayRounds, message, thoughtRounds } from './samples';
import { long, many } from './threads';

export const scenes: Record<string, (backend: ScriptedBackend) => void> = {
  broken: ({ failing }) => failing.set('preferences', 'The database slipstream.sqlite3 cannot be opened: disk is full.'),
  opening: (backend) => (backend.preferences = () => new Promise(() => {})),
  'new-chat': (backend) => (backend.kept.conversation = null),
  failed: (backend) => (backend.kept.conversation = 2),
  misfit: (backend) => {
    backend.kept.conversation = null;
    backend.misfits.set('target-270m drafter-5', 'The drafter was made for a target whose hidden size is 2560, this one’s is 640.');
  },
  loading: (backend) => answering(backend, { kind: 'loading', what: 'gemma-3-270m-it' }),
  prompt: (backend) => answering(backend, { kind: 'prefill', done: 512, total: 1536 }),
  answering: (backend) => answering(backend, decoding(drafting), essayRounds(5).slice(0, 32)),
  thinking: (backend) => answering(backend, decoding(drafting), thoughtRounds(5).slice(0, 12)),
  parked: (backend) => answering(backend, decoding(drafting), [...essayRounds(5).slice(0, 12), ...parked(essayRounds(0).slice(40, 60))]),
  markdown: (backend) => (backend.kept.conversation = 5),
  hostile: (backend) => (backend.kept.conversation = 6),
  damaged: (backend) => (backend.damaged = ['checkpoint-from-elsewhere']),
  'models-fail': ({ failing }) => failing.set('models', 'The database slipstream.sqlite3 cannot be read: it is not a database.'),
  offline: (backend) => {
    backend.status = { ...backend.status, offline: true };
    const message = 'Offline: the search needs the network, which is switched off.';
    backend.failing.set('discover', new Refusal({ code: 'goOnline', message }));
  },
  racing: (backend) => {
    const now = { state: 'running' as const, done: 7, of: 24, secondsLeft: 95 };
    backend.races = backend.races.map((each) => (each.id === 2 ? { ...each, ...now } : each));
    backend.watchRace = async (onRace) => onRace(racing);
  },
  'race-failed': (backend) => {
    const failure = 'The drafter dspark-270m-long needs 3.1 GB more memory than there is.';
    backend.races = backend.races.map((each) => (each.id === 2 ? { ...each, state: 'failed', failure } : each));
  },
  'jobs-fail': ({ failing }) => {
    for (const what of ['watchComparisons', 'watchCalibrations', 'watchTrainings'] as const) failing.set(what, 'The database slipstream.sqlite3 cannot be read: it is not a database.');
  },
  'jobs-loading': (backend) => {
    backend.watchComparisons = backend.watchCalibrations = backend.watchTrainings = () => new Promise(() => {});
  },
  'settings-fail': ({ failing }) => failing.set('storage', 'The folder /Volumes/Data/slipstream cannot be read: permission denied.'),
  stream: (backend) => stream(backend, 500),
  // As the last of ten minutes.
  'stream-on': (backend) => stream(backend, 500, 280_000),
  traced: (backend) => {
    backend.traces.set(backend.written.get(1)!.at(-1)!.id, traced(4000));
    backend.kept.provenance = true;
  },
  many: (backend) => (backend.talks = many(230)),
  long: (backend) => backend.written.set(1, long(2000)),
  ungated: (backend) => backend.offers.set(hit.repo, { ...backend.offers.get(hit.repo)!, gated: 'no' }),
};

/** Plain decoding is through, one column writes more than it shows, and the others wait. */
const racing: Race = {
  comparison: 2,
  prompt: 2,
  question: 'Why do rivers bend, and what decides where they go in the end?',
  lanes: [
    lane({ stage: 'done', text: essayRounds(5).map(({ text }) => text).join(''), tokens: 128, rounds: 128, seconds: 4.1 }),
    lane({ stage: 'writing', text: essayRounds(5).slice(0, 60).map(({ text }) => text).join(''), tokens: 96, rounds: 40, seconds: 1.9 }),
    lane({ stage: 'warmingUp' }),
    lane({}),
  ],
};

const decoding = (speculation: Speculation): Phase => ({ kind: 'decoding', speculation });

const parked = (all: Round[]) =>
  all.map((round): Round => ({ ...round, course: 'parked', turn: { tokensPerRound: 1.32, roundSeconds: 0.071, plainSeconds: 0.048 } }));

/** The conversation that is open is being answered, and stays so. */
function answering(backend: ScriptedBackend, phase: Phase, rounds: Round[] = []): void {
  const question = message({ id: 17, author: 'user', text: 'Once more, and longer.' });
  const answer = message({ id: 18, author: 'assistant', text: '', state: 'running' });
  backend.written.get(1)!.push(question, answer);
  backend.running = true;
  backend.soFar = { conversation: 1, message: answer.id, written: null, firstRound: 0, rounds, phase };
}
