import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import type { ScriptedBackend } from '../scripted/backend';
import { calibration } from '../scripted/calibration';
import { report } from '../scripted/report';
import { type Calibration, Refusal } from '../src/lib/backend/backend';
import { loss, news, progress, use } from '../src/lib/calibrate/words';
import { ask, backendWithModels, frame, open, openCalibrate } from './window';
import { day } from '../src/lib/format';

const title = 'dspark-270m for gemma-3-270m-it, May 3, 9:05 AM';
const mine = (verb: string) => ({ name: `${verb} ${title}` });
const running = calibration({ id: 1, state: 'running', phase: 'measure', done: 31, of: 72, secondsLeft: 290 });
const done = calibration({ id: 1, state: 'done', recommendation: report(3).recommendation });
const row = async () => within(await screen.findByTestId('calibration'));
const says = (part: Partial<Calibration>, ahead = false) => progress({ ...calibration({ id: 1, state: 'waiting' }), ...part }, ahead).join(' · ');

function backendThatCalibrates(...calibrations: Calibration[]): ScriptedBackend {
  const backend = backendWithModels();
  backend.calibrated = calibrations;
  for (const { id } of calibrations) backend.came.set(id, report(3));
  return backend;
}

describe('a calibration says how it stands', () => {
  test('while it waits, and runs', () => {
    expect(says({}, true)).toBe('waits for the calibration before it');
    expect(says({ phase: 'cost', done: 2, of: 6 })).toBe('waits for its turn · Cost');
    expect(says({ state: 'running', done: 1, of: 1, phase: 'fit' })).toBe('Fit');
    expect(says({ state: 'running', done: 3, of: 32, secondsLeft: 200 })).toBe('Collect: 3 of 32 answers · about 3 min left of this phase');
    expect(says(running)).toBe('Measure: 31 of 72 answers · about 5 min left');
  });

  test('wherever it was interrupted', () => {
    expect(says({ ...running, state: 'paused' })).toBe('paused · Measure: 31 of 72 answers');
    expect(says({ state: 'failed' })).toBe('failed · Collect');
  });

  test('and whether it is used', () => {
    expect(use(done)).toBe('not applied');
    const [applied, revertedAt] = [{ ...done, appliedAt: new Date(2026, 4, 3).getTime() }, new Date(2026, 4, 5).getTime()];
    expect(use({ ...applied, inForce: true })).toBe('in force since May 3');
    expect(use(applied)).toBe('applied May 3, not in force');
    expect(use({ ...applied, revertedAt })).toBe('applied May 3, reverted May 5');
    expect(use({ ...applied, stale: 'Another machine.' })).toBe('stale');
  });

  test('and what became of it', () => {
    expect(news('dspark', { ...done, state: 'failed', failure: 'The disk is full.' })).toBe('The calibration of dspark has failed: The disk is full.');
    expect(news('dspark', done)).toMatch(/^The calibration of dspark is done\. Leave it to auto/);
    expect(loss({ ...done, inForce: true })).toMatch(/^It is in force: the one that was applied before it takes its place, or none\./);
    expect(loss({ ...done, state: 'paused' })).toBe('Its samples are deleted, so it cannot go on.');
  });
});

test('one that runs shows its phases, how far it is, and that what is in force stays so', async () => {
  const before = { ...done, id: 2, inForce: true, appliedAt: 1, createdAt: new Date(2026, 3, 1, 8, 0).getTime() };
  const backend = backendThatCalibrates(running, before);
  await openCalibrate(backend);
  const shown = within((await screen.findAllByTestId('calibration'))[0]!);
  expect(shown.getByText('64 prompts: Chat, Code, Maths, Structured text')).toBeInTheDocument();
  expect(shown.getAllByRole('listitem').map((step) => step.textContent?.trim())).toEqual(['Collect, done', 'Fit, done', 'Cost, done', 'Measure']);
  expect(shown.getByRole('progressbar', { name: `Measure: answers done for ${title}` })).toHaveValue(31);
  expect(shown.getByTestId('meanwhile')).toHaveTextContent('The calibration of Apr 1, 8:00 AM stays in force until another one is applied.');
  backend.calibrate([{ ...running, phase: 'cost', done: 0, of: 0 }]);
  await waitFor(() => expect(screen.getByTestId('meanwhile')).toHaveTextContent(/^No calibration is in force for this pair/));
  expect(screen.getByTestId('standing')).toHaveTextContent(/^Cost\s*about 5 min left of this phase$/);
});

test('a calibration is paused and resumed by one button, which keeps the keyboard', async () => {
  const user = await openCalibrate(backendThatCalibrates(running));
  await user.click((await row()).getByRole('button', mine('Pause')));
  expect(await screen.findByRole('button', mine('Resume'))).toHaveFocus();
  expect(screen.getByTestId('calibration')).toHaveAttribute('data-state', 'paused');
  await user.keyboard('{Enter}');
  expect(await screen.findByText('waits for its turn')).toBeInTheDocument();
});

test('one that is done is applied, and reverted to the one before it, by one button', async () => {
  const created = new Date(2026, 3, 1, 8, 0).getTime();
  const before = { ...done, id: 2, appliedAt: created, inForce: true, createdAt: created };
  const user = await openCalibrate(backendThatCalibrates(done, before));
  const today = day(Date.now());
  const uses = () => screen.getAllByTestId('use').map((each) => each.textContent);
  expect(await screen.findAllByText(/^Leave it to auto, the fastest/)).toHaveLength(2);
  expect(uses()).toEqual(['not applied', 'in force since Apr 1']);
  await user.click(screen.getByRole('button', mine('Apply')));
  await waitFor(() => expect(uses()).toEqual([`in force since ${today}`, 'applied Apr 1, not in force']));
  expect(screen.getByRole('button', mine('Revert'))).toHaveFocus();
  await user.keyboard('{Enter}');
  await waitFor(() => expect(uses()).toEqual([`applied ${today}, reverted ${today}`, 'in force since Apr 1']));
});

test('a stale one says why and cannot be applied', async () => {
  await openCalibrate(backendThatCalibrates({ ...done, appliedAt: 1, writing: 'impossible', stale: 'The drafter’s files are others now.' }));
  expect((await row()).getByText('The drafter’s files are others now.')).toBeInTheDocument();
  expect(screen.queryByRole('button', mine('Apply'))).not.toBeInTheDocument();
  expect(screen.getByRole('button', mine('Revert'))).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Write into dspark.json…' })).not.toBeInTheDocument();
});

test('what is refused says why, and so does what has failed', async () => {
  const backend = backendThatCalibrates({ ...running, state: 'failed', failure: 'The disk is full.' });
  const user = await openCalibrate(backend);
  expect((await row()).getByText('The disk is full.')).toBeInTheDocument();
  backend.failing.set('resumeCalibration', 'The target is not there any more.');
  await user.click(screen.getByRole('button', mine('Resume')));
  expect(await screen.findByRole('alert')).toHaveTextContent('The target is not there any more.');
});

test('forgetting says what goes, and Escape keeps it', async () => {
  const user = await openCalibrate(backendThatCalibrates(done));
  await user.click((await row()).getByRole('button', mine('Forget')));
  expect(screen.getByText('Its samples and its report are deleted.')).toBeInTheDocument();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.getByRole('button', mine('Forget'))).toHaveFocus());
  await user.keyboard('{Enter}');
  await user.click(screen.getByRole('button', { name: 'Forget' }));
  expect(await screen.findByTestId('calibration-form')).toBeInTheDocument();
});

test('dspark.json is written at once where it has no calibration, and after a question where it has', async () => {
  const backend = backendThatCalibrates(done);
  const user = await openCalibrate(backend);
  const write = () => screen.findByRole('button', { name: 'Write into dspark.json…' });
  await user.click(await write());
  await waitFor(() => expect(screen.getByTestId('written')).toHaveTextContent('Written into dspark.json.'));
  const back = await screen.findByRole('button', { name: 'Take out of dspark.json' });
  await user.click(back);
  await waitFor(() => expect(screen.getByTestId('written')).toHaveTextContent('Taken out of dspark.json: what was there before is there again.'));
  backend.inFile = true;
  await user.click(await write());
  expect(await screen.findByText(/has a calibration already, which can be put back\. Everything else in the file stays\.$/)).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Keep it' })).toHaveFocus();
  await user.click(screen.getByRole('button', { name: 'Replace' }));
  await waitFor(() => expect(backend.wroteOver).toEqual([false, true]));
  expect(await screen.findByRole('button', { name: 'Take out of dspark.json' })).toHaveFocus();
  await user.click(screen.getByRole('button', { name: 'Take out of dspark.json' }));
  backend.failing.set('writeCalibration', new Refusal({ code: null, message: 'dspark.json cannot be written: the disk is full.' }));
  await user.click(await write());
  expect(await screen.findByRole('alert')).toHaveTextContent('dspark.json cannot be written: the disk is full.');
});

test('a drafter of another format is not written into', async () => {
  await openCalibrate(backendThatCalibrates({ ...done, writing: 'impossible' }));
  expect(await screen.findByRole('button', { name: 'Export report…' })).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Write into dspark.json…' })).not.toBeInTheDocument();
});

test('samples and report are exported to a file that is named afterwards, and a dismissed dialog says nothing', async () => {
  const backend = backendThatCalibrates(done);
  const user = await openCalibrate(backend);
  await user.click(await screen.findByRole('button', { name: 'Export samples…' }));
  await waitFor(() => expect(screen.getByTestId('written')).toHaveTextContent('Saved as /documents/calibration.csv.'));
  backend.savedAs = null;
  await user.click(screen.getByRole('button', { name: 'Export report…' }));
  await waitFor(() => expect(screen.getByTestId('written')).not.toHaveTextContent(/./));
  expect(backend.exported).toEqual(['samples', 'report']);
});

test('what becomes of a calibration is said wherever somebody is, and so is how far it is', async () => {
  const backend = backendThatCalibrates(running);
  await open(backend);
  expect(await screen.findByRole('img', { name: /^43\s?% of the phase Measure of a calibration is done$/ })).toBeInTheDocument();
  backend.calibrate([done]);
  await waitFor(() => expect(screen.getByTestId('announced')).toHaveTextContent(/^The calibration of dspark-270m is done\./));
  expect(screen.queryByTestId('calibrating')).not.toBeInTheDocument();
});

test('while an answer is written, the view says that it goes first', async () => {
  const backend = backendThatCalibrates(running);
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  await user.click(screen.getByRole('button', { name: /^Calibrate/ }));
  expect(await screen.findByText(/Your answers and those of the calibration take turns\./)).toBeInTheDocument();
  const message = { ...backend.written.get(ids.conversation)!.at(-1)!, state: 'complete' as const };
  backend.emit(frame(ids, { phase: { kind: 'ended', message } }));
  await waitFor(() => expect(screen.queryByText(/take turns/)).not.toBeInTheDocument());
});

test('calibrations that cannot be watched are asked for again', async () => {
  const backend = backendThatCalibrates(done);
  backend.failing.set('watchCalibrations', 'The database is locked.');
  const user = await openCalibrate(backend);
  expect(await screen.findByRole('alert')).toHaveTextContent('The database is locked.');
  backend.failing.clear();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByTestId('calibration')).toBeInTheDocument();
});
