import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import { ScriptedBackend } from '../scripted/backend';
import { model } from '../scripted/samples';
import { learned, training } from '../scripted/training';
import type { Training } from '../src/lib/backend/backend';
import { roughly } from '../src/lib/format';
import { copied, loss, news, standing, stranded, worth } from '../src/lib/train/words';
import { ask, backendWithModels, frame, open, openTrain } from './window';

const learning = training({ id: 1, state: 'training', secondsLeft: 372, ...learned(340) });
const row = async () => within(await screen.findByTestId('training'));
const mine = (verb: string) => `${verb} gemma-3-270m-it-dspark`;
const says = (part: Partial<Training>, ahead = false) => standing({ ...training({ id: 1, state: 'waiting' }), ...part }, ahead).join(' · ');

function backendThatTrains(...course: Training[]): ScriptedBackend {
  const backend = backendWithModels();
  backend.course = course.length > 0 ? course : [learning];
  return backend;
}

describe('a training says how it stands', () => {
  test('before it learns', () => {
    expect(says({}, true)).toBe('waits for the training before it');
    expect(says({})).toBe('waits for its turn');
    expect(says({ state: 'answering' })).toBe('the target answers the prompts');
    expect(says({ state: 'answering', answersDone: 12, answersOf: 160, secondsLeft: 44.6 })).toBe(
      'the target answers 12 of 160 prompts · about 45 s left',
    );
  });

  test('while it gets ready to learn, or to pause', () => {
    expect(says({ state: 'answering', answersDone: 160, answersOf: 160, secondsLeft: 0 })).toBe('160 of 160 prompts answered · the first step is prepared…');
    expect(says({ ...learning, pausing: true })).toBe('pausing… · step 340 of 2,000');
  });

  test('while it learns, and wherever it was interrupted', () => {
    expect(says(learning)).toBe('step 340 of 2,000 · about 6 min left');
    expect(says({ ...learning, state: 'paused', secondsLeft: null })).toBe('paused · step 340 of 2,000');
    expect(says({ ...learning, state: 'stopped', secondsLeft: null })).toBe('stopped · step 340 of 2,000');
    expect(says({ state: 'failed', answersDone: 12, answersOf: 160 })).toBe('failed · 12 of 160 prompts answered');
    expect(says({ state: 'done', step: 2000, steps: 2000 })).toBe('done · 2,000 steps');
  });

  test('with what the drafter is worth, which names what it counts and where', () => {
    expect(worth(training({ id: 1, state: 'answering' }))).toBeNull();
    expect(worth({ ...learning, startTau: 1.2, bestTau: 1.84 })).toBe('τ 1.20 at the start, 1.84 at best, on held-out answers, bonus included');
    expect(worth({ ...learning, state: 'done', startTau: 1.2, bestTau: 2.85 })).toBe('τ 1.20 → 2.85 on held-out answers, bonus included');
  });

  test('with times that are only guessed in words for a guess', () => {
    expect([0.2, 89, 95, 5400, 9300].map(roughly)).toEqual(['about 1 s', 'about 89 s', 'about 2 min', 'about 1 h 30 min', 'about 2 h 35 min']);
  });

  test('and what became of it', () => {
    expect(news({ ...learning, state: 'failed', failure: 'The disk is full.' })).toBe(
      'The training of gemma-3-270m-it-dspark has failed: The disk is full.',
    );
    expect(loss({ ...learning, state: 'done', drafter: 'd' })).toMatch(/The drafter stays in Models\.$/);
    expect(news({ ...learning, state: 'done', failure: 'It never did better.' })).toMatch(/ is done\. It never did better\.$/);
    expect(loss({ ...learning, state: 'failed', bestTau: learning.startTau })).toMatch(/so it cannot go on\.$/);
    expect(loss({ ...learning, state: 'failed' })).toMatch(/so is the best drafter so far \(τ \d\.\d\d\)\. To keep it, stop the training instead\.$/);
  });
});

test('what needs a target, or keeps what was said, is named before that goes', () => {
  const open = training({ id: 1, state: 'paused', keepsConversations: true });
  const others = [training({ id: 2, state: 'done' }), training({ id: 3, state: 'failed', target: 'b' })];
  expect(stranded([open, ...others], 't')).toBe('The training of gemma-3-270m-it-dspark cannot go on without it.');
  expect(stranded(others, 't')).toBeNull();
  expect(copied([open, ...others])).toBe('A copy may stay with the training of gemma-3-270m-it-dspark until that leaves a drafter or is removed.');
  expect(copied(others)).toBeNull();
});

test('a row names the drafter, its kind, its target and its data, and shows how far it is', async () => {
  const backend = backendThatTrains();
  await openTrain(backend);
  const shown = await row();
  expect(shown.getByRole('heading')).toHaveTextContent('gemma-3-270m-it-dspark');
  expect(shown.getByText('DSpark')).toBeInTheDocument();
  expect(shown.getByText('for gemma-3-270m-it')).toBeInTheDocument();
  expect(shown.getByText('chat and code')).toBeInTheDocument();
  expect(shown.getByRole('progressbar', { name: 'Steps done for gemma-3-270m-it-dspark' })).toHaveValue(340);
  backend.go([training({ id: 1, state: 'answering', answersDone: 12, answersOf: 160 })]);
  await waitFor(() => expect(shown.getByRole('progressbar', { name: /^Prompts answered/ })).toHaveAttribute('max', '160'));
  expect(screen.getByTestId('training')).toHaveAttribute('data-state', 'answering');
});

test('a training is paused and resumed by one button, which keeps the keyboard', async () => {
  const backend = backendThatTrains();
  const user = await openTrain(backend);
  await user.click((await row()).getByRole('button', { name: mine('Pause') }));
  const resume = await screen.findByRole('button', { name: mine('Resume') });
  expect(resume).toHaveFocus();
  expect(screen.getByTestId('training')).toHaveAttribute('data-state', 'paused');
  await user.keyboard('{Enter}');
  expect(await screen.findByText('waits for its turn')).toBeInTheDocument();
});

test('stopping says first what is kept, and removing what goes', async () => {
  const backend = backendThatTrains();
  const user = await openTrain(backend);
  const stop = () => screen.getByRole('button', { name: mine('Stop') });
  await screen.findByTestId('training');
  await user.click(stop());
  expect(screen.getByText(/The best drafter so far is kept if it is better than at the start\./)).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Go on' })).toHaveFocus();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(stop()).toHaveFocus());
  await user.keyboard('{Enter}');
  await user.click(screen.getByRole('button', { name: 'Stop' }));
  const remove = await screen.findByRole('button', { name: mine('Remove') });
  await waitFor(() => expect(remove).toHaveFocus());
  expect(screen.queryByRole('progressbar')).not.toBeInTheDocument();
  await user.keyboard('{Enter}');
  expect(screen.getByText('Its answers and what it recorded are deleted.')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Remove' }));
  await waitFor(() => expect(screen.queryByTestId('training')).not.toBeInTheDocument());
  expect(await screen.findByTestId('training-form')).toBeInTheDocument();
});

test('a failed training says why, can go on, and says why it cannot', async () => {
  const backend = backendThatTrains(training({ id: 1, state: 'failed', failure: 'The disk is full.' }));
  const user = await openTrain(backend);
  expect((await row()).getByText('The disk is full.')).toBeInTheDocument();
  backend.failing.set('resumeTraining', 'The target is not there any more.');
  await user.click((await row()).getByRole('button', { name: mine('Resume') }));
  expect(await screen.findByRole('alert')).toHaveTextContent('The target is not there any more.');
});

test('one that never did better takes twice as many steps from the same answers', async () => {
  const failure = 'The drafter never did better than before its first step.';
  const backend = backendThatTrains({ ...learning, ...learned(2000), state: 'done', failure, open: true });
  const user = await openTrain(backend);
  const longer = (await row()).getByRole('button', { name: mine('Train') + ' for longer' });
  expect(longer).toHaveTextContent('Train for 4,000 steps');
  await user.click(longer);
  expect(await screen.findByText('waits for its turn')).toBeInTheDocument();
  expect(backend.course[0]).toMatchObject({ state: 'waiting', steps: 4000, failure: null });
});

test('of one that failed the best drafter can be kept', async () => {
  const backend = backendThatTrains({ ...learning, state: 'failed', failure: 'The disk is full.', secondsLeft: null });
  const user = await openTrain(backend);
  await user.click((await row()).getByRole('button', { name: mine('Stop') + ' and keep the best' }));
  await user.click(screen.getByRole('button', { name: 'Stop' }));
  await waitFor(() => expect(screen.getByTestId('training')).toHaveAttribute('data-state', 'stopped'));
});

test('a training that ends brings its drafter into the models, and one chats with it', async () => {
  const backend = backendThatTrains();
  const user = await openTrain(backend);
  await screen.findByTestId('training');
  expect(screen.queryByRole('button', { name: /^Chat with/ })).not.toBeInTheDocument();
  backend.registered = [...backend.registered, model({ id: 'new', role: 'drafter', folder: '/data/new' })];
  backend.go([{ ...learning, ...learned(2000), state: 'done', drafter: 'new', secondsLeft: null }]);
  await user.click(await screen.findByRole('button', { name: mine('Chat with') }));
  expect(screen.getByRole('main', { name: 'Chat' })).toBeInTheDocument();
  await waitFor(() => expect(backend.kept).toMatchObject({ target: 't', drafter: 'new', conversation: null }));
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Message' })).toHaveFocus());
});

test('one whose drafter was removed since cannot be chatted with', async () => {
  await openTrain(backendThatTrains({ ...learning, state: 'done', drafter: 'gone' }));
  await screen.findByTestId('training');
  expect(screen.queryByRole('button', { name: /^Chat with/ })).not.toBeInTheDocument();
});

test('what becomes of a training is said wherever somebody is, and so is how far it is', async () => {
  const backend = backendThatTrains();
  await open(backend);
  expect(await screen.findByRole('img', { name: /^17\s?% of the steps of a training are done$/ })).toBeInTheDocument();
  backend.go([{ ...learning, state: 'done' }]);
  await waitFor(() => expect(screen.getByTestId('announced')).toHaveTextContent('The training of gemma-3-270m-it-dspark is done.'));
  expect(screen.queryByTestId('learning')).not.toBeInTheDocument();
  backend.go([{ ...learning, state: 'failed', failure: 'The disk is full.' }]);
  await waitFor(() => expect(screen.getByTestId('announced-failure')).toHaveTextContent(/has failed: The disk is full\.$/));
});

test('while an answer is written, the view says that it goes first', async () => {
  const backend = backendThatTrains();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  await user.click(screen.getByRole('button', { name: /^Train/ }));
  expect(await screen.findByText(/Answers go first; the training goes on after it\./)).toBeInTheDocument();
  const message = { ...backend.written.get(ids.conversation)!.at(-1)!, state: 'complete' as const };
  backend.emit(frame(ids, { phase: { kind: 'ended', message } }));
  await waitFor(() => expect(screen.queryByText(/Answers go first/)).not.toBeInTheDocument());
});

test('trainings that cannot be watched are asked for again', async () => {
  const backend = backendThatTrains();
  backend.failing.set('watchTrainings', 'The database is locked.');
  const user = await openTrain(backend);
  expect(await screen.findByRole('alert')).toHaveTextContent('The database is locked.');
  backend.failing.clear();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByTestId('training')).toBeInTheDocument();
});
