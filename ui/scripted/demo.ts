// The window with nothing behind it, for looking at it in a browser: `npm run dev:mock`. ?show= one of the scenes begins
// with that, and ?show=first without models.
import './fonts.css';
import type { Calibration, CalibrationOrder, Controls, How, Message, Outcome, Pair, Phase, Proof, Round, Said, Speculation } from '../src/lib/backend/backend';
import type { Comparison, ComparisonOrder } from '../src/lib/backend/comparing';
import { ScriptedBackend } from './backend';
import { calibration } from './calibration';
import { compared, comparison, identical, race } from './comparison';
import { elsewhere as places, hit, offer, pairs } from './hub';
import { hostile, showcase } from './markdown';
import { report } from './report';
import { observed, rounds, traces } from './rounds';
import { commit, conversations, details, download, essayRounds, history, message, model, models, outcome, plainly, thoughtRounds } from './samples';
import { scenes } from './scenes';
import { again, elsewhere, notes, presets, removed } from './threads';
import { learned, training } from './training';

const downloaded = model({
  id: 'target-e2b',
  role: 'target',
  kind: 'gemma4',
  folder: `/Volumes/Data/slipstream/checkpoints/google/gemma-4-E2B-it/${commit}`,
  source: 'downloaded',
  repo: 'google/gemma-4-E2B-it',
  commit,
  bytes: 10_200_000_000,
  summary: 'Gemma 4 E2B, 5.1 billion parameters, bfloat16',
});

type Rerun = Outcome['rerun'];
/** Whether an answer has all of Markdown, what came of it if it was to be another one again, and whether it goes on. */
type What = { marked?: boolean; rerun?: Rerun; rest?: boolean };

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

class Demo extends ScriptedBackend {
  #stopped = false;

  override async say(...asked: Parameters<ScriptedBackend['say']>): Promise<Said> {
    const [, text, pair, controls] = asked;
    return this.#started(await super.say(...asked), pair, controls, { marked: /markdown/i.test(text) });
  }

  override async editMessage(...asked: Parameters<ScriptedBackend['editMessage']>): Promise<Said> {
    const [, , pair, controls] = asked;
    return this.#started(await super.editMessage(...asked), pair, controls);
  }

  override async answerAgain(...asked: Parameters<ScriptedBackend['answerAgain']>): Promise<Said> {
    const [, pair, controls] = asked;
    return this.#started(await super.answerAgain(...asked), pair, controls);
  }

  override async rerun(of: number, how: How): Promise<Said> {
    const { pair, controls } = this.recordOf(of);
    const rerun = { of, same: true, sentence: 'Run again: the same 128 tokens.' };
    return this.#started(await super.answerAgain(of, pair, controls, how), pair, controls, { rerun });
  }

  override async goOn(id: number, more: number, how: How): Promise<Said> {
    const { pair, controls } = this.recordOf(id);
    return this.#started(await super.goOn(id, more, how), pair, controls, { rest: true });
  }

  #started(said: Said, pair: Pair, controls: Controls, what: What = {}): Said {
    void this.#write(said.conversation, said.answer, pair, controls, what);
    return said;
  }

  override async stop(): Promise<void> {
    this.#stopped = true;
  }

  override async verify(message: number, insist: boolean): Promise<Proof> {
    const proof = super.verify(message, insist);
    setTimeout(() => this.proven({ holds: true, sentence: 'Identical to plain decoding: 128 tokens.' }), 3000);
    return proof;
  }

  override async startCalibration(order: CalibrationOrder): Promise<number> {
    const id = await super.startCalibration(order);
    void this.#run(id);
    return id;
  }

  override resumeCalibration = async (id: number) => {
    void this.#run(id);
    return structuredClone(this.calibrated.find((each) => each.id === id)!);
  };

  /** Gives the conversations branches and tags, and a past. */
  branch(): void {
    const shown = this.written.get(1)!;
    this.put(1, 2, elsewhere);
    this.put(1, 2, shown.slice(2));
    this.put(1, 5, [again]);
    this.talks = this.talks.map((talk) => ({ ...talk, pinned: talk.id === 3, tags: [[], ['rivers'], ['letters'], ['kitchen', 'to try']][talk.id] ?? [] }));
    this.removed = removed;
    this.kinds = presets;
    this.chosenFiles = [notes];
  }

  /** Lets a calibration go through its phases, quickly, unless it is paused meanwhile. */
  async #run(id: number): Promise<void> {
    const now = () => this.calibrated.find((each) => each.id === id);
    const put = (part: Partial<Calibration>) => this.calibrate(this.calibrated.map((each) => (each.id === id ? { ...each, ...part } : each)));
    const lengths = { collect: 64, fit: 5, cost: 6, measure: 128 } as const;
    put({ state: 'running', failure: null });
    for (const [phase, of] of Object.entries(lengths) as [Calibration['phase'], number][]) {
      for (let done = 0; done <= of && now()?.state === 'running'; done += 1) {
        put({ phase, done, of, secondsLeft: (of - done) * 2 });
        await pause(60);
      }
    }
    if (now()?.state !== 'running') return;
    this.came.set(id, report(5));
    put({ state: 'done', secondsLeft: null, recommendation: report(5).recommendation });
  }

  override async startComparison(order: ComparisonOrder): Promise<number> {
    const id = await super.startComparison(order);
    void this.#compare(id, order);
    return id;
  }

  /** Lets the columns of a comparison write one behind the other. */
  async #compare(id: number, { contenders, prompt }: ComparisonOrder): Promise<void> {
    const put = (part: Partial<Comparison>) => this.compare(this.races.map((each) => (each.id === id ? { ...each, ...part } : each)));
    for (const { done, race: now } of race(id, contenders.length + 1, prompt ?? 'Why do rivers bend?')) {
      put({ state: 'running', done, secondsLeft: 9 });
      this.write(now);
      await pause(60);
    }
    this.write(null);
    this.outcomes.set(id, compared());
    put({ state: 'done', secondsLeft: null, verdict: identical });
  }

  async #write(conversation: number, answer: Message, pair: Pair, controls: Controls, { marked = false, rerun = null, rest = false }: What): Promise<void> {
    this.#stopped = false;
    const drafter = this.registered.find(({ id }) => id === pair.drafter);
    const gamma = drafter ? (controls.gamma ?? drafter.drafts?.usual ?? 0) : 0;
    const calibrated = this.calibrated.some((each) => each.inForce && each.target === pair.target && each.drafter === pair.drafter);
    const speculation: Speculation =
      gamma > 0 ? { kind: 'on', limit: gamma, schedule: controls.schedule, calibrated } : plainly(drafter ? 'γ is 0' : 'no drafter is chosen');
    const scaled = (round: Round) => (calibrated ? { ...round, calibrated: round.confidences.map((confidence) => confidence ** 1.4) } : round);
    const tell = this.said.at(-1)?.observe ? observed : (all: Round[]) => all;
    const parts = [...(controls.thinking ? thoughtRounds(gamma) : []), ...(marked ? rounds(showcase, gamma) : essayRounds(gamma))];
    const all = tell(parts.map(scaled)).slice(rest ? answer.outcome!.stats.rounds : 0);
    const before = { thought: answer.thought, text: answer.text };
    const send = async (phase: Phase, firstRound = 0, rounds: Round[] = [], wait = 400) => {
      this.emit({ conversation, message: answer.id, written: rest ? before : null, firstRound, rounds, phase });
      await pause(wait);
    };
    await pause(50);
    await send({ kind: 'loading', what: pair.target });
    for (let done = 0; done <= 1536 && !this.#stopped; done += 512) await send({ kind: 'prefill', done, total: 1536 });
    let written = 0;
    for (; written < all.length && !this.#stopped; written += 1) {
      await send({ kind: 'decoding', speculation }, written, all.slice(written, written + 1), 66);
    }
    const kept = all.slice(0, written);
    this.traces.set(answer.id, kept);
    const message: Message = {
      ...answer,
      thought: before.thought + kept.map((round) => round.thought).join(''),
      text: before.text + kept.map((round) => round.text).join(''),
      state: this.#stopped ? 'stopped' : 'complete',
      outcome: outcome(kept, { ...pair, speculation, controls, rerun, finish: this.#stopped ? 'cancelled' : 'eos' }),
    };
    const messages = this.written.get(conversation) ?? [];
    this.written.set(conversation, messages.map((other) => (other.id === message.id ? message : other)));
    await send({ kind: 'ended', message });
  }
}

export function demo(): ScriptedBackend {
  const backend = new Demo();
  const show = new URLSearchParams(location.search).get('show');
  const added = model({ id: 'target-new', role: 'target', folder: '/Volumes/Models/gemma-3-1b-it' });
  backend.folders.set('/Volumes/Models/gemma-3-1b-it', added);
  if (show === 'first') return backend;
  backend.registered = structuredClone(models);
  backend.looks.set('target-270m', details({ code: ['modeling_gemma.py'] }));
  backend.looks.set('target-base', details({ skipped: [{ what: 'the vision tower', tensors: 355, bytes: 950_000_000 }] }));
  backend.registered.splice(3, 0, downloaded);
  backend.ceilings.set('target-270m', { tokensPerSecond: 39.4, bytesPerSecond: 21_300_000_000, bytesPerToken: 541_000_000 });
  backend.missing.set(downloaded.id, ['model-00002-of-00002.safetensors']);
  backend.trashed = [{ model: model({ id: 'old', role: 'drafter', folder: '/Volumes/Models/dspark-old' }), until: Date.now() + 5 * 86_400_000 }];
  backend.jobs = [
    download({ id: 1, state: 'running', phase: 'fetching', rate: 42_000_000, remainingSeconds: 182 }),
    download({ id: 3, repo: 'ada/waits', state: 'queued', reason: 'The Hub could not be reached. It is tried again later.' }),
    download({ id: 2, repo: 'z-lab/gemma4-12B-it-DFlash', state: 'failed', reason: 'The Hub does not answer: the connection was refused.' }),
  ];
  backend.elsewhere = places;
  backend.pairs = pairs;
  backend.pages.set('dspark', { hits: [hit, { ...hit, repo: 'google/gemma-3-270m-it', gated: 'no', looksLikeDrafter: false }], next: 'more' });
  const fits = [{ model: 'target-270m', misfit: null }, { ...offer.judgement!.fits[1]!, model: 'target-base' }];
  backend.offers.set(hit.repo, { ...offer, gated: 'auto', judgement: { ...offer.judgement!, fits } });
  backend.course = [
    training({ id: 4, state: 'waiting', target: 'target-270m', name: 'gemma-3-270m-it-dflash', kind: 'dflash' }),
    training({ id: 3, state: 'training', target: 'target-270m', name: 'gemma-3-270m-it-dspark', secondsLeft: 380, ...learned(340) }),
    training({ id: 2, state: 'done', target: 'target-270m', name: 'dspark-270m', drafter: 'drafter-5', ...learned(2000) }),
    training({ id: 1, state: 'failed', target: 'target-12b', name: 'twelve', failure: 'The disk is full: 1.2 GB are needed.', answersDone: 12, answersOf: 160 }),
  ];
  const pair = { target: 'target-270m', drafter: 'drafter-5' };
  const day = (days: number) => Date.now() - days * 86_400_000;
  const stale = 'The drafter’s files are others than those that were calibrated; calibrate it again.';
  const none = { mode: { mode: 'plain' as const }, sentence: 'Decode plainly, without a drafter: nothing was faster beyond doubt; the best was γ 2 at 1.04 × plain (0.97 to 1.11).' };
  for (const id of [2, 3, 4]) backend.came.set(id, report(id === 2 ? 12 : 5));
  backend.calibrated = [
    calibration({ id: 5, ...pair, state: 'running', phase: 'measure', done: 54, of: 128, secondsLeft: 290, createdAt: day(0) }),
    calibration({ id: 4, ...pair, state: 'done', inForce: true, appliedAt: day(2), createdAt: day(2), recommendation: report(5).recommendation }),
    calibration({ id: 3, ...pair, state: 'done', appliedAt: day(9), createdAt: day(9), recommendation: none }),
    calibration({ id: 2, ...pair, drafter: 'drafter-12', state: 'done', appliedAt: day(30), createdAt: day(30), stale, recommendation: report(12).recommendation }),
    calibration({ id: 1, ...pair, state: 'failed', thinking: true, phase: 'collect', done: 7, of: 64, failure: 'The target does not think: its chat template does not know how.', createdAt: day(31) }),
  ];
  const contenders = ['drafter-5', 'drafter-12', 'lookup'].map((drafter) => ({ drafter, mode: { mode: 'auto' as const } }));
  backend.outcomes.set(1, compared());
  backend.races = [
    comparison({ id: 2, state: 'paused', target: 'target-270m', contenders, done: 21, of: 64, createdAt: day(0) }),
    comparison({ id: 1, state: 'done', target: 'target-270m', contenders: contenders.slice(0, 2), verdict: identical, createdAt: day(3) }),
  ];
  backend.talks = conversations(Date.now());
  backend.written = history();
  [showcase, hostile].forEach((text, at) => {
    const id = 5 + at;
    const title = at === 0 ? 'Everything Markdown has' : 'What a hostile model writes';
    backend.talks.push({ id, title, updatedAt: Date.now() - 1e9, target: 'target-270m', drafter: 'drafter-5', pinned: false, tags: [], system: '' });
    const question = message({ id: id * 10, author: 'user', text: 'Fit a **line**, in `Markdown`.' });
    const answered = message({ id: id * 10 + 1, author: 'assistant', text, outcome: outcome(rounds(text, 5)) });
    backend.written.set(id, [question, answered]);
  });
  backend.branch();
  backend.traces = traces(backend.written);
  backend.kept = { ...backend.kept, target: 'target-270m', drafter: 'drafter-5', conversation: 1 };
  if (show !== null) scenes[show]?.(backend);
  return backend;
}
