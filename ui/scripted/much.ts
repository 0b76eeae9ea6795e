// Far more than anybody reads, for measuring how light the window stays.
import type { Round } from '../src/lib/backend/backend';
import { ScriptedBackend } from './backend';
import { showcase } from './markdown';
import { rounds } from './rounds';
import { drafting, essayRounds, outcome } from './samples';

/** The window gets at most so many frames a second. */
const framesPerSecond = 30;

/** Answers at this speed, in tokens a second, until it is stopped; at first so many tokens at once. */
export function stream(backend: ScriptedBackend, speed: number, before = 0): void {
  let stopped = false;
  backend.stop = async () => void (stopped = true);
  backend.say = async (...order) => {
    const said = await ScriptedBackend.prototype.say.apply(backend, order);
    stopped = false;
    const all = [...rounds(showcase, 5), ...rounds(`\n\n${essay}\n\n`, 5)];
    const begin = performance.now();
    let [written, tokens] = [0, 0];
    const timer = setInterval(() => {
      if (!backend.isSeen) return;
      const owed = before + ((performance.now() - begin) / 1000) * speed;
      const some: Round[] = [];
      for (; tokens < owed; tokens += some.at(-1)!.tokens) some.push(all[(written + some.length) % all.length]!);
      const about = { conversation: said.conversation, message: said.answer.id, written: null, firstRound: written };
      backend.emit({ ...about, rounds: some, phase: { kind: 'decoding', speculation: drafting } });
      written += some.length;
      if (!stopped) return;
      clearInterval(timer);
      const kept = Array.from({ length: written }, (_, at) => all[at % all.length]!);
      const text = kept.map((round) => round.text).join('');
      backend.emit({ ...about, rounds: [], phase: { kind: 'ended', message: { ...said.answer, text, state: 'stopped', outcome: outcome(kept) } } });
    }, 1000 / framesPerSecond);
    return said;
  };
}

/** What the rounds did of an answer of so many tokens. */
export function traced(tokens: number): Round[] {
  const once = rounds(`${essay}\n\n`, 5);
  const pieces = once.reduce((all, round) => all + round.pieces.length, 0);
  return Array.from({ length: Math.ceil(tokens / pieces) }, () => once).flat();
}

const essay = essayRounds(5).map(({ text }) => text).join('');
