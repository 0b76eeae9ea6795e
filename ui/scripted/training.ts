// The part of the scripted backend that is about trainings, and what they may look like.
import type { Backend, Training, TrainingChoices, TrainingEstimate, TrainingOrder } from '../src/lib/backend/backend';
import { ScriptedLibrary } from './library';

export function training(part: Partial<Training> & Pick<Training, 'id' | 'state'>): Training {
  return {
    name: 'gemma-3-270m-it-dspark',
    target: 't',
    kind: 'dspark',
    data: 'chat and code',
    answersDone: 0,
    answersOf: 0,
    step: 0,
    steps: 0,
    secondsLeft: null,
    loss: [],
    tau: [],
    startTau: null,
    bestTau: null,
    drafter: null,
    failure: null,
    keepsConversations: false,
    open: part.state !== 'done' && part.state !== 'stopped',
    pausing: false,
    createdAt: 0,
    ...part,
  };
}

/** One that has learned for so many steps of 2,000, and was measured every 200. */
export function learned(step: number): Partial<Training> {
  const value = (at: number) => 1.2 + 1.65 * (1 - Math.exp(-at / 500)) - (at > 1500 ? 0.1 : 0);
  const tau: Training['tau'] = [];
  for (let at = 0; at <= step; at += 200) tau.push([at, value(at), tau.every(([, before]) => before <= value(at))]);
  const loss: Training['loss'] = [];
  for (let at = 10; at <= step; at += 10) loss.push([at, 2.1 + 6 * Math.exp(-at / 300) + 0.2 * Math.sin(at * at)]);
  const bestTau = Math.max(...tau.map(([, each]) => each));
  return { answersDone: 160, answersOf: 160, step, steps: 2000, loss, tau, startTau: tau[0]![1], bestTau };
}

export const choices: TrainingChoices = {
  suites: [
    { id: 'chat', title: 'Chat', prompts: 40, chosen: true },
    { id: 'code', title: 'Code', prompts: 40, chosen: true },
    { id: 'maths', title: 'Maths', prompts: 1, chosen: true },
    { id: 'slipstream', title: 'About Slipstream', prompts: 40, chosen: false },
  ],
  kind: 'dspark',
  size: 'small',
  gamma: 5,
  leastGamma: 2,
  mostGamma: 16,
  timed: false,
  steps: 2000,
  minutes: 60,
};

export class ScriptedTraining extends ScriptedLibrary {
  choices: TrainingChoices = structuredClone(choices);
  chosenPrompts: string | null = null;
  estimated: TrainingOrder[] = [];
  estimate: TrainingEstimate = {
    prompts: 81,
    secondsAnswers: 720,
    guessed: false,
    secondsSteps: 1500,
    bytes: 1_200_000_000,
    free: 40_000_000_000,
    memory: 3_100_000_000,
    room: 12_000_000_000,
  };
  ordered: TrainingOrder[] = [];
  course: Training[] = [];
  #listeners: ((trainings: Training[]) => void)[] = [];

  trainingChoices = async () => this.answer('trainingChoices', this.choices);
  choosePrompts = async () => this.answer('choosePrompts', this.chosenPrompts);

  async estimateTraining(order: TrainingOrder): Promise<TrainingEstimate> {
    this.estimated.push(order);
    return this.answer('estimateTraining', this.estimate);
  }

  async startTraining(order: TrainingOrder): Promise<number> {
    this.answer('startTraining', null);
    this.ordered.push(order);
    const id = 1 + Math.max(0, ...this.course.map((each) => each.id));
    const { name, target, kind } = order;
    this.go([training({ id, state: 'waiting', name, target, kind, data: order.data.from, createdAt: Date.now() }), ...this.course]);
    return id;
  }

  trainings = async () => this.answer('trainings', this.course);

  async watchTrainings(onList: (trainings: Training[]) => void): Promise<void> {
    onList(this.answer('watchTrainings', this.course));
    this.#listeners.push(onList);
  }

  /** Lets the trainings stand like this from now on. */
  go(trainings: Training[]): void {
    this.course = trainings;
    for (const listener of this.#listeners) listener(structuredClone(trainings));
  }

  pauseTraining = async (id: number) => this.#turn('pauseTraining', id, 'paused');
  resumeTraining = async (id: number) => this.#turn('resumeTraining', id, 'waiting');
  trainLonger = async (id: number, steps: number) => this.#turn('trainLonger', id, 'waiting', { ...learned(0), step: 0, steps });
  stopTraining = async (id: number) => this.#turn('stopTraining', id, 'stopped');

  async removeTraining(id: number): Promise<void> {
    this.answer('removeTraining', null);
    this.go(this.course.filter((each) => each.id !== id));
  }

  async #turn(command: keyof Backend, id: number, state: Training['state'], part: Partial<Training> = {}): Promise<Training> {
    this.answer(command, null);
    this.go(this.course.map((each) => (each.id === id ? { ...each, state, failure: null, ...part } : each)));
    return structuredClone(this.course.find((each) => each.id === id)!);
  }
}
