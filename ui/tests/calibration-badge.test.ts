import { screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import type { ScriptedBackend } from '../scripted/backend';
import { calibration } from '../scripted/calibration';
import { report } from '../scripted/report';
import { drafting } from '../scripted/samples';
import type { Calibration, Round } from '../src/lib/backend/backend';
import { Confidences } from '../src/lib/calibrate/confidences';
import { calibratedFor } from '../src/lib/calibrate/pair';
import { beforeLoading } from '../src/lib/preferences.svelte';
import { ask, backendWithModels, base, drafter, frame, lookup, open, round, target } from './window';

const done = calibration({ id: 1, state: 'done', appliedAt: 1, inForce: true });
const badge = () => screen.findByTestId('calibration-badge');

function backendThatDrafts(...calibrations: Calibration[]): ScriptedBackend {
  const backend = backendWithModels();
  backend.kept = { ...backend.kept, drafter: 'd' };
  backend.calibrated = calibrations;
  for (const { id } of calibrations) backend.came.set(id, report(2));
  return backend;
}

test('nothing is asked of a drafter without a confidence, and a base model does not think', () => {
  const controls = { ...beforeLoading.controls, thinking: true };
  expect(calibratedFor(controls, target, lookup)).toBeNull();
  expect(calibratedFor(controls, target, null)).toBeNull();
  expect(calibratedFor(controls, target, drafter)?.thinking).toBe(true);
  expect(calibratedFor(controls, base, drafter)?.thinking).toBe(false);
});

test('the inspector says that a pair is calibrated, and leads to its report', async () => {
  const user = await open(backendThatDrafts(done));
  expect(await badge()).toHaveTextContent('Calibrated on May 3');
  await user.click(await badge());
  expect(screen.getByRole('main', { name: 'Calibrate' })).toBeInTheDocument();
  await waitFor(() => expect(screen.getByTestId('calibration')).toHaveFocus());
  expect(await screen.findByTestId('report')).toBeInTheDocument();
});

test('the inspector says that a pair is not calibrated, and leads to the form for it', async () => {
  const backend = backendThatDrafts(calibration({ id: 1, state: 'done', target: 'b' }));
  const user = await open(backend);
  expect(await badge()).toHaveTextContent('Not calibrated');
  await user.click(await badge());
  await waitFor(() => expect(screen.getByRole('combobox', { name: 'Target' })).toHaveFocus());
  await screen.findByRole('checkbox', { name: /^Chat/ });
  await user.click(screen.getByTestId('start-calibration'));
  await waitFor(() => expect(backend.calibrationOrders[0]).toMatchObject({ target: 't', drafter: 'd', thinking: false }));
});

test('a stale calibration says why, and leads to a new one of the same pair', async () => {
  const user = await open(backendThatDrafts({ ...done, inForce: false, stale: 'The target’s files are others now.' }));
  expect(await badge()).toHaveTextContent('Calibration is stale');
  expect(screen.getByText('The target’s files are others now.')).toBeInTheDocument();
  await user.click(await badge());
  expect(await screen.findByTestId('calibration-form')).toBeInTheDocument();
});

test('one that is done and was not applied is a click away', async () => {
  const user = await open(backendThatDrafts({ ...done, inForce: false, appliedAt: null }));
  expect(await badge()).toHaveTextContent('Calibrated, not applied');
  await user.click(await badge());
  expect(await screen.findByRole('button', { name: /^Apply dspark-270m for gemma-3-270m-it/ })).toBeInTheDocument();
});

test('a drafter that brings a calibration in its own files is told so', async () => {
  const backend = backendThatDrafts();
  backend.inFile = true;
  await open(backend);
  expect(await badge()).toHaveTextContent('Calibrated by the drafter’s own files');
});

test('without a confidence there is no badge', async () => {
  const backend = backendThatDrafts();
  backend.kept = { ...backend.kept, drafter: 'lookup' };
  await open(backend);
  await waitFor(() => expect(screen.getByRole('combobox', { name: 'Schedule' })).toBeEnabled());
  expect(screen.queryByTestId('calibration-badge')).not.toBeInTheDocument();
});

const sure = (accepted: number, confidences: number[], calibrated: number[] = []): Round => ({
  ...round('word ', confidences.length, accepted),
  confidences,
  calibrated,
});

test('confidences up to a position are products, and means of the rounds that proposed it', () => {
  const confidences = new Confidences();
  confidences.add(sure(2, [0.8, 0.5], [0.6, 0.5]));
  confidences.add(sure(0, [0.4], [0.2]));
  confidences.add(round('', 0, 0));
  const [first, second] = confidences.surviving();
  expect(first).toMatchObject({ position: 1, rounds: 2, stood: 0.5 });
  expect(first?.raw).toBeCloseTo(0.6);
  expect(first?.calibrated).toBeCloseTo(0.4);
  expect(second).toMatchObject({ position: 2, rounds: 1, raw: 0.4, calibrated: 0.3, stood: 1 });
});

test('a confidence that nothing scales is shown raw only', () => {
  const confidences = new Confidences();
  confidences.add(sure(1, [0.8]));
  expect(confidences.surviving()).toEqual([{ position: 1, rounds: 1, raw: 0.8, calibrated: null, stood: 1 }]);
});

test('a running answer shows raw and calibrated confidence beside what stood, and says that it is calibrated', async () => {
  const backend = backendThatDrafts(done);
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  expect(screen.queryByTestId('confidence')).not.toBeInTheDocument();
  const phase = { kind: 'decoding' as const, speculation: { ...drafting, calibrated: true } };
  backend.emit(frame(ids, { phase, rounds: [sure(1, [0.9, 0.5], [0.7, 0.4])] }));
  const chart = within(await screen.findByTestId('confidence'));
  expect(screen.getByTestId('course')).toHaveTextContent('drafting, auto, γ up to 5, calibrated');
  const says = 'Confidence against outcome. Position 1: 90% raw, 70% calibrated, 100% stood. Position 2: 45% raw, 28% calibrated, 0% stood';
  expect(chart.getByRole('img', { name: says })).toBeInTheDocument();
  const rows = chart.getAllByRole('row', { hidden: true }).map((row) => [...row.children].map((cell) => cell.textContent));
  expect(rows[1]).toEqual(['1', '1', '90%', '70%', '100%']);
});
