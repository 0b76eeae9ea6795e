import type { Training, TrainingKind, TrainingSize } from '../backend/backend';
import { count, decimal, plural, roughly } from '../format';

type Word<Value> = { value: Value; label: string; does: string };

export const kinds: readonly Word<TrainingKind>[] = [
  { value: 'dspark', label: 'DSpark', does: 'Drafts a block at once; a small head looks one token back, and says how sure it is.' },
  { value: 'dsparkRecurrent', label: 'DSpark, recurrent', does: 'Like DSpark, with a head that carries a state from token to token.' },
  { value: 'dflash', label: 'DFlash', does: 'Drafts a block at once, each token by itself.' },
  { value: 'dflash2', label: 'DFlash 2', does: 'Like DFlash, and selects tokens that go together.' },
];

export const sizes: readonly Word<TrainingSize>[] = [
  { value: 'small', label: 'Small', does: 'Two narrow layers: quick to train, and quick to ask.' },
  { value: 'medium', label: 'Medium', does: 'Four wider ones: they can learn more, and take longer.' },
];

export const kindOf = (kind: TrainingKind) => kinds.find(({ value }) => value === kind)!.label;

/** Steps or answers done, of all of them. */
export function progress({ state, answersDone, answersOf, step, steps }: Training): { done: number; of: number; what: string } {
  // Whatever is interrupted is shown where it was.
  const learns = state === 'training' || state === 'done' || step > 0;
  return learns ? { done: step, of: steps, what: 'Steps done' } : { done: answersDone, of: answersOf, what: 'Prompts answered' };
}

/** How a training stands, part by part. `ahead` says that another one runs. */
export function standing(training: Training, ahead: boolean): string[] {
  const { state, answersDone, answersOf, step, steps, secondsLeft, pausing } = training;
  const learnt = steps > 0 ? `step ${count(step)} of ${count(steps)}` : `step ${count(step)}`;
  const answered = answersOf > 0 ? `${count(answersDone)} of ${plural(answersOf, 'prompt')}` : 'the prompts';
  const far = step > 0 ? [learnt] : answersDone > 0 ? [`${answered} answered`] : [];
  const rest = secondsLeft === null ? [] : [`${roughly(secondsLeft)} left`];
  if (pausing) return ['pausing…', ...far];
  switch (state) {
    case 'waiting':
      return [ahead ? 'waits for the training before it' : 'waits for its turn', ...far];
    case 'answering':
      // Then the drafter is measured, and steps may be tried.
      if (answersOf > 0 && answersDone === answersOf) return [`${answered} answered`, 'the first step is prepared…'];
      return [`the target answers ${answered}`, ...rest];
    case 'training':
      return [learnt, ...rest];
    case 'done':
      return ['done', plural(step, 'step')];
    default:
      return [state, ...far];
  }
}

/** Whether a drafter is there that does better than at the start. */
export const gained = ({ startTau, bestTau }: Training) => startTau !== null && bestTau !== null && bestTau > startTau;

/** What the drafter was worth at first and at best. */
export function worth({ state, startTau, bestTau }: Training): string | null {
  if (startTau === null || bestTau === null) return null;
  const over = state === 'done' || state === 'stopped';
  const [first, best] = [decimal(startTau, 2), decimal(bestTau, 2)];
  if (over) return `τ ${first} → ${best} on held-out answers, bonus included`;
  return `τ ${first} at the start, ${best} at best, on held-out answers, bonus included`;
}

/** What became of a training, in a sentence or two. */
export function news({ name, state, failure }: Training): string {
  if (state === 'failed') return `The training of ${name} has failed: ${failure ?? ''}`;
  const ended = state === 'done' ? `The training of ${name} is done.` : `The training of ${name} is stopped.`;
  return failure === null ? ended : `${ended} ${failure}`;
}

/** What a removed target takes from trainings, if it takes anything. */
export function stranded(trainings: readonly Training[], target: string): string | null {
  const names = trainings.filter((training) => training.open && training.target === target).map(({ name }) => name);
  if (names.length === 0) return null;
  return `${names.length === 1 ? 'The training of' : 'The trainings of'} ${names.join(', ')} cannot go on without it.`;
}

/** What stays of a conversation that is deleted, if anything may. */
export function copied(trainings: readonly Training[]): string | null {
  const names = trainings.filter(({ keepsConversations }) => keepsConversations).map(({ name }) => name);
  return names.length === 0 ? null : `A copy may stay with the training of ${names.join(', ')} until that leaves a drafter or is removed.`;
}

/** What goes when a training is removed. */
export function loss(training: Training): string {
  const { state, drafter, bestTau } = training;
  const gone = 'Its answers and what it recorded are deleted';
  if (drafter !== null) return `${gone}. The drafter stays in Models.`;
  if (state === 'failed' && gained(training)) return `${gone}, and so is the best drafter so far (τ ${decimal(bestTau!, 2)}). To keep it, stop the training instead.`;
  return state === 'failed' ? `${gone}, so it cannot go on.` : `${gone}.`;
}
