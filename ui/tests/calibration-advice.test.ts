import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import type { ScriptedBackend } from '../scripted/backend';
import { calibration } from '../scripted/calibration';
import { report } from '../scripted/report';
import type { Calibration, CalibrationMode, Controls } from '../src/lib/backend/backend';
import { controlsOf, draftsBy } from '../src/lib/inspector/schedules';
import { beforeLoading } from '../src/lib/preferences.svelte';
import { ask, backendWithModels, drafter, openCalibrate } from './window';

const advised = (mode: CalibrationMode, part: Partial<Calibration> = {}) =>
  calibration({ id: 1, state: 'done', recommendation: { mode, sentence: 'Do this.' }, ...part });
const use = () => screen.findByRole('button', { name: 'Use dspark-270m for gemma-3-270m-it, May 3, 9:05 AM in chats' });
const followed = () => screen.getByTestId('followed');
const [plain, auto, thresholds, two]: CalibrationMode[] = [{ mode: 'plain' }, { mode: 'auto' }, { mode: 'thresholds' }, { mode: 'fixed', gamma: 2 }];

function backendThatAdvises(calibrated: Calibration, controls: Partial<Controls> = {}): ScriptedBackend {
  const backend = backendWithModels();
  backend.kept = { ...backend.kept, target: 'b', controls: { ...backend.kept.controls, ...controls } };
  backend.calibrated = [calibrated];
  backend.came.set(1, report(2));
  return backend;
}

describe('a way of drafting is', () => {
  const set = (part: Partial<Controls>): Controls => ({ ...beforeLoading.controls, ...part });

  test('a schedule, with γ and minConf left to it', () => {
    expect(controlsOf(auto!)).toEqual({ schedule: 'auto', gamma: null, minConf: null });
    expect(controlsOf(thresholds!)).toEqual({ schedule: 'thresholds', gamma: null, minConf: null });
    expect(draftsBy(auto!, set({}), drafter)).toBe(true);
    expect(draftsBy(auto!, set({ minConf: 0.4 }), drafter)).toBe(false);
    expect(draftsBy(thresholds!, set({ schedule: 'thresholds', gamma: 3 }), drafter)).toBe(false);
  });

  test('a fixed γ, which is 0 without drafting', () => {
    expect(controlsOf(two!)).toEqual({ schedule: 'fixed', gamma: 2 });
    expect(controlsOf(plain!)).toEqual({ schedule: 'fixed', gamma: 0 });
    expect(draftsBy(two!, set({ schedule: 'fixed', gamma: 2, minConf: 0.4 }), drafter)).toBe(true);
    expect(draftsBy(two!, set({ gamma: 2 }), drafter)).toBe(false);
    expect(draftsBy(plain!, set({ schedule: 'fixed' }), drafter)).toBe(false);
  });

  test('the usual γ where nobody set one', () => {
    expect(draftsBy({ mode: 'fixed', gamma: 5 }, set({ schedule: 'fixed' }), drafter)).toBe(true);
  });
});

test('one click puts a calibration in force, picks its pair and sets the controls, and says so', async () => {
  const backend = backendThatAdvises(advised(two!), { schedule: 'gate', minConf: 0.4, temperature: 0.7 });
  const user = await openCalibrate(backend);
  await user.click(await use());
  await waitFor(() => expect(followed()).toHaveTextContent('The calibration is in force. Chats now use dspark-270m for gemma-3-270m-it with a fixed γ of 2.'));
  expect(followed()).toHaveAttribute('role', 'status');
  expect(screen.getByTestId('use')).toHaveTextContent('in force');
  expect(screen.getByTestId('follows')).toHaveTextContent('Followed');
  expect(screen.queryByRole('button', { name: /in chats$/ })).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: /^Revert/ })).toHaveFocus();
  await waitFor(() => expect(backend.kept).toMatchObject({ target: 't', drafter: 'd', controls: { schedule: 'fixed', gamma: 2, temperature: 0.7 } }));
  await user.click(screen.getByRole('button', { name: /^Chat/ }));
  await ask(backend, user, 'Hello');
  expect(backend.said[0]).toMatchObject({ pair: { target: 't', drafter: 'd' }, controls: { schedule: 'fixed', gamma: 2, minConf: null } });
});

test('auto and thresholds take back a γ and a minConf that were set, and what is in force stays so', async () => {
  const backend = backendThatAdvises(advised(thresholds!, { inForce: true, appliedAt: 1 }), { gamma: 2, minConf: 0.4 });
  const user = await openCalibrate(backend);
  await user.click(await use());
  await waitFor(() => expect(followed()).toHaveTextContent(/^Chats now use dspark-270m for gemma-3-270m-it with the schedule Thresholds\.$/));
  await waitFor(() => expect(backend.kept.controls).toMatchObject({ schedule: 'thresholds', gamma: null, minConf: null }));
  expect(backend.calibrated[0]?.appliedAt).toBe(1);
});

test('to decode plainly needs no calibration in force; γ is 0, and the inspector says what that is', async () => {
  const backend = backendThatAdvises(advised(plain!));
  const user = await openCalibrate(backend);
  await user.click(await use());
  await waitFor(() => expect(followed()).toHaveTextContent('Chats now decode plainly: γ is 0.'));
  expect(screen.getByTestId('use')).toHaveTextContent('not applied');
  expect(screen.getByTestId('follows')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: /^Chat/ }));
  expect(await screen.findByRole('slider', { name: 'γ' })).toHaveValue('0');
  expect(screen.getByRole('slider', { name: 'γ' })).toHaveAttribute('aria-valuetext', 'plain decoding');
});

test('what chats lack for it beyond the pair and the controls is named', async () => {
  const user = await openCalibrate(backendThatAdvises(advised(auto!, { thinking: true, precision: 'float32' })));
  await user.click(await use());
  const says = 'It holds with thinking on and the number type float32, which you set in the inspector.';
  expect(await screen.findByText(says)).toBeInTheDocument();
});

test('once something of it is set otherwise it can be followed again', async () => {
  const user = await openCalibrate(backendThatAdvises(advised(auto!, { inForce: true, appliedAt: 1 })));
  await user.click(await use());
  expect(await screen.findByTestId('follows')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: /^Chat/ }));
  await fireEvent.input(await screen.findByRole('slider', { name: 'γ' }), { target: { value: '3' } });
  await user.click(screen.getByRole('button', { name: /^Calibrate\b/ }));
  await user.click(await use());
  expect(await screen.findByTestId('follows')).toBeInTheDocument();
});

test('where it cannot be put in force, nothing else changes, and the row says why', async () => {
  const backend = backendThatAdvises(advised(auto!));
  backend.failing.set('applyCalibration', 'The drafter’s files are others now.');
  const user = await openCalibrate(backend);
  await user.click(await use());
  expect(await screen.findByRole('alert')).toHaveTextContent('The drafter’s files are others now.');
  expect(backend.kept).toMatchObject({ target: 'b', drafter: null });
  expect(await use()).toBeInTheDocument();
});

test('what is stale, not done, or of models that are gone cannot be followed', async () => {
  const backend = backendThatAdvises(advised(auto!, { stale: 'Another machine.', appliedAt: 1 }));
  backend.calibrated.push(calibration({ id: 2, state: 'paused' }), advised(auto!, { id: 3, drafter: 'gone' }));
  await openCalibrate(backend);
  const rows = await screen.findAllByTestId('calibration');
  for (const row of rows) expect(within(row).queryByRole('button', { name: /in chats$/ })).not.toBeInTheDocument();
  expect(rows).toHaveLength(3);
});
