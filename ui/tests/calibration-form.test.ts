import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { ScriptedBackend } from '../scripted/backend';
import { calibration } from '../scripted/calibration';
import { model } from '../scripted/samples';
import type { CalibrationEstimate } from '../src/lib/backend/backend';
import { backendWithModels, base, drafter, lookup, openCalibrate, target } from './window';

const start = () => screen.getByTestId('start-calibration');
const obstacle = () => screen.getByTestId('obstacle');
const drafters = () => screen.findByRole('combobox', { name: 'Drafter' });
const thinking = () => screen.getByRole('checkbox', { name: 'Thinking' });
const suites = async () => screen.findByRole('checkbox', { name: /^Code/ });
const usual = { target: 't', drafter: 'd', thinking: false, conversations: false, file: null, prompts: 8, tokens: 128 };

function backendWithPair(): ScriptedBackend {
  const backend = backendWithModels();
  backend.kept = { ...backend.kept, drafter: 'd' };
  return backend;
}

test('one click calibrates the pair that the chat uses, with all suites but the one about this app', async () => {
  const backend = backendWithPair();
  const user = await openCalibrate(backend);
  expect(await screen.findByText(/^A drafter says how sure it is of each token/)).toBeInTheDocument();
  await suites();
  expect(screen.getByRole('checkbox', { name: /^About Slipstream/ })).not.toBeChecked();
  await user.click(start());
  await waitFor(() => expect(backend.calibrationOrders).toEqual([{ ...usual, suites: ['chat', 'code', 'maths'] }]));
  await waitFor(() => expect(screen.getByTestId('calibration')).toHaveFocus());
  expect(screen.queryByTestId('calibration-form')).not.toBeInTheDocument();
});

test('a drafter without a confidence is shown with the reason and cannot be picked', async () => {
  const backend = backendWithPair();
  backend.kept = { ...backend.kept, drafter: 'lookup' };
  const broken = model({ id: 'x', role: 'drafter', folder: '/models/dspark-old', broken: 'The folder is not there any more.' });
  const other = model({ id: 'o', role: 'drafter', folder: '/models/dspark-other' });
  backend.registered = [target, base, drafter, other, broken, lookup];
  await openCalibrate(backend);
  const options = within(await drafters());
  expect(options.getByRole('option', { name: 'Lookup (no model) (has no confidence)' })).toBeDisabled();
  expect(options.getByRole('option', { name: 'dspark-old (not readable)' })).toBeDisabled();
  expect(options.getByRole('option', { name: 'dspark-other' })).toBeEnabled();
  expect(obstacle()).toHaveTextContent('Pick a drafter.');
  expect(start()).toBeDisabled();
  expect(start()).toHaveAccessibleDescription('Pick a drafter.');
});

test('the only drafter with a confidence is taken where the chat has none', async () => {
  await openCalibrate(backendWithModels());
  expect(await drafters()).toHaveValue('d');
});

test('everything about an order can be chosen', async () => {
  const backend = backendWithPair();
  backend.chosenPrompts = '/data/prompts.txt';
  const user = await openCalibrate(backend);
  await user.click(await suites());
  const own = screen.getByRole('checkbox', { name: 'Your conversations' });
  expect(own).toHaveAccessibleDescription('The newest questions you asked here. They never leave this machine.');
  await user.click(own);
  await user.click(thinking());
  await user.click(screen.getByText('More'));
  await fireEvent.change(screen.getByRole('spinbutton', { name: 'How many' }), { target: { value: '3' } });
  await fireEvent.change(screen.getByRole('spinbutton', { name: 'Length' }), { target: { value: '1' } });
  expect(screen.getByRole('spinbutton', { name: 'Length' })).toHaveValue(16);
  await user.click(screen.getByRole('button', { name: 'Choose…' }));
  await waitFor(() => expect(screen.getByTestId('prompts-path')).toHaveTextContent('/data/prompts.txt'));
  await user.click(start());
  const order = { ...usual, thinking: true, suites: ['chat', 'maths'], conversations: true, file: '/data/prompts.txt', prompts: 3, tokens: 16 };
  await waitFor(() => expect(backend.calibrationOrders).toEqual([order]));
});

test('thinking is as the chat has it, and off with the reason where the target cannot think', async () => {
  const backend = backendWithPair();
  backend.kept = { ...backend.kept, controls: { ...backend.kept.controls, thinking: true } };
  const user = await openCalibrate(backend);
  await drafters();
  expect(thinking()).toBeChecked();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Target' }), 'b');
  expect(thinking()).not.toBeChecked();
  expect(thinking()).toBeDisabled();
  expect(thinking()).toHaveAccessibleDescription('A base model without a chat template does not think.');
});

test('before the start the form says how much is asked, how often, and about how long it takes', async () => {
  const backend = backendWithPair();
  const user = await openCalibrate(backend);
  const estimate = () => screen.getByTestId('estimate');
  await suites();
  expect(estimate()).toHaveTextContent('Estimating…');
  await waitFor(() => expect(estimate()).toHaveTextContent('17 prompts, 4 of them answered in every way of drafting; about 2 min.'));
  expect(backend.calibrationsWeighed).toEqual([{ ...usual, suites: ['chat', 'code', 'maths'] }]);
  backend.plainStep = null;
  await user.click(screen.getByRole('checkbox', { name: /^Maths/ }));
  await user.click(screen.getByRole('checkbox', { name: 'Your conversations' }));
  const unknown = '24 prompts, 6 of them answered in every way of drafting; how long is known once this target wrote something.';
  await waitFor(() => expect(estimate()).toHaveTextContent(unknown));
  expect(backend.calibrationsWeighed.at(-1)).toEqual({ ...usual, suites: ['chat', 'code'], conversations: true });
  expect(start()).toHaveAccessibleDescription('You can go on chatting. Confidences stay as they are until you apply it.');
});

test('an estimate that comes after the order was changed says nothing', async () => {
  const backend = backendWithPair();
  const honest = backend.estimateCalibration.bind(backend);
  let late: (estimate: CalibrationEstimate) => void = () => {};
  const first = new Promise<CalibrationEstimate>((resolve) => (late = resolve));
  backend.estimateCalibration = vi.fn((order) => (order.prompts === 8 ? first : honest(order)));
  await openCalibrate(backend);
  await waitFor(() => expect(backend.estimateCalibration).toHaveBeenCalledOnce());
  await fireEvent.change(screen.getByRole('spinbutton', { name: 'How many' }), { target: { value: '4' } });
  await waitFor(() => expect(screen.getByTestId('estimate')).toHaveTextContent(/^9 prompts, 2 of them/));
  late({ prompts: 1, heldOut: 1, seconds: 1 });
  await first;
  expect(screen.getByTestId('estimate')).toHaveTextContent(/^9 prompts, 2 of them/);
});

test('an order that cannot be met is in the way of a start, until it is another one', async () => {
  const backend = backendWithPair();
  const user = await openCalibrate(backend);
  await suites();
  for (const name of [/^Chat/, /^Code/]) await user.click(screen.getByRole('checkbox', { name }));
  const refused = 'A calibration needs two prompts of one kind at least, one to fit and one to judge by; choose more.';
  await waitFor(() => expect(obstacle()).toHaveTextContent(refused));
  expect(start()).toBeDisabled();
  expect(start()).toHaveAccessibleDescription(refused);
  expect(screen.getByTestId('estimate')).toHaveTextContent('Complete the form for an estimate.');
  await user.click(screen.getByRole('checkbox', { name: /^Code/ }));
  expect(start()).toBeEnabled();
});

test('what cannot start says why', async () => {
  const backend = backendWithPair();
  const user = await openCalibrate(backend);
  await suites();
  for (const suite of screen.getAllByRole('checkbox', { checked: true })) await user.click(suite);
  expect(obstacle()).toHaveTextContent('Choose at least one suite, your conversations or a file.');
  backend.registered = [target, { ...drafter, broken: 'The folder is not there any more.' }];
  await fireEvent.focus(window);
  await waitFor(() => expect(obstacle()).toHaveTextContent('This drafter cannot be used at present. Pick another one.'));
  backend.registered = [target, lookup];
  await fireEvent.focus(window);
  await waitFor(() => expect(obstacle()).toHaveTextContent('Add a drafter with a confidence first. DSpark has one, and you can train it here.'));
  backend.registered = [];
  await fireEvent.focus(window);
  await waitFor(() => expect(obstacle()).toHaveTextContent('Add a target first: the model that answers.'));
  await user.click(screen.getByRole('button', { name: 'Get a target' }));
  expect(screen.getByRole('main', { name: 'Models' })).toBeInTheDocument();
});

test('a start that is refused keeps the form, the sentence and the keyboard', async () => {
  const backend = backendWithPair();
  backend.failing.set('startCalibration', 'This drafter was made for another target.');
  const user = await openCalibrate(backend);
  await suites();
  await user.click(start());
  expect(await screen.findByRole('alert')).toHaveTextContent('This drafter was made for another target.');
  await waitFor(() => expect(start()).toHaveFocus());
});

test('suites that cannot be had are asked for again', async () => {
  const backend = backendWithPair();
  backend.failing.set('calibrationChoices', 'The database is locked.');
  const user = await openCalibrate(backend);
  expect(await screen.findByText('The database is locked.')).toBeInTheDocument();
  backend.failing.clear();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await suites()).toBeInTheDocument();
});

test('with calibrations there, the form is a button away, and Escape leads back', async () => {
  const backend = backendWithPair();
  backend.calibrated = [calibration({ id: 1, state: 'paused' })];
  const user = await openCalibrate(backend);
  await user.click(await screen.findByRole('button', { name: 'New calibration' }));
  await waitFor(() => expect(screen.getByRole('combobox', { name: 'Target' })).toHaveFocus());
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.getByRole('button', { name: 'New calibration' })).toHaveFocus());
});
