import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { ScriptedBackend } from '../scripted/backend';
import { model } from '../scripted/samples';
import { training } from '../scripted/training';
import { Refusal } from '../src/lib/backend/backend';
import { suggested } from '../src/lib/train/names';
import { backendWithModels, openTrain, target } from './window';

const form = async () => within(await screen.findByTestId('training-form'));
const name = () => screen.getByRole('textbox', { name: 'Name' });
const start = () => screen.getByTestId('start-training');
const obstacle = () => screen.getByTestId('obstacle');
const usual = { target: 't', kind: 'dspark', size: 'small', gamma: 5, length: { steps: 2000 } };

test('without trainings, the view says what training is for and shows the form', async () => {
  await openTrain(backendWithModels());
  expect(await screen.findByText(/^Training makes a drafter for one of your targets/)).toBeInTheDocument();
  expect(await screen.findByRole('form', { name: 'New training' })).toBeInTheDocument();
});

test('the usual order is for the target of the chat, from all suites but the one about this app, under a name of its own', async () => {
  const backend = backendWithModels();
  const user = await openTrain(backend);
  expect(await screen.findByRole('combobox', { name: 'Target' })).toHaveValue('t');
  expect(name()).toHaveValue('gemma-3-270m-it-dspark');
  expect(await screen.findByRole('checkbox', { name: 'Code 40 prompts' })).toBeChecked();
  expect(screen.getByRole('checkbox', { name: 'Maths 1 prompt' })).toBeChecked();
  expect(screen.getByRole('checkbox', { name: /^About Slipstream/ })).not.toBeChecked();
  await waitFor(() => expect(start()).toBeEnabled());
  await user.click(start());
  const data = { from: 'suites', suites: ['chat', 'code', 'maths'] };
  await waitFor(() => expect(backend.ordered).toEqual([{ ...usual, name: 'gemma-3-270m-it-dspark', data }]));
});

test('everything about an order can be chosen', async () => {
  const backend = backendWithModels();
  const user = await openTrain(backend);
  const all = await form();
  await user.selectOptions(all.getByRole('combobox', { name: 'Target' }), 'b');
  await user.click(all.getByRole('radio', { name: 'DFlash 2' }));
  expect(name()).toHaveValue('gemma-3-270m-dflash2');
  await user.click(all.getByRole('radio', { name: 'Medium' }));
  await user.clear(name());
  await user.type(name(), ' mine ');
  await user.click(all.getByRole('radio', { name: 'DSpark, recurrent' }));
  expect(name()).toHaveValue(' mine ');
  await fireEvent.input(all.getByRole('slider', { name: 'γ' }), { target: { value: '12' } });
  expect(all.getByText('12 tokens a round')).toBeInTheDocument();
  await user.clear(all.getByRole('spinbutton', { name: 'Learns for' }));
  await user.type(all.getByRole('spinbutton', { name: 'Learns for' }), '500');
  await user.click(await all.findByRole('checkbox', { name: /^Chat/ }));
  await user.click(all.getByRole('checkbox', { name: /^Maths/ }));
  await user.click(start());
  const data = { from: 'suites', suites: ['code'] };
  const order = { target: 'b', name: 'mine', kind: 'dsparkRecurrent', size: 'medium', gamma: 12, length: { steps: 500 }, data };
  await waitFor(() => expect(backend.ordered).toEqual([order]));
});

test('a time can be ordered instead of steps, and both are remembered', async () => {
  const backend = backendWithModels();
  const user = await openTrain(backend);
  const [length, unit] = [() => screen.getByRole('spinbutton', { name: 'Learns for' }), () => screen.getByRole('combobox', { name: 'Unit' })];
  await screen.findByRole('checkbox', { name: /^Chat/ });
  await user.selectOptions(unit(), 'minutes');
  expect(length()).toHaveValue(60);
  await fireEvent.change(length(), { target: { value: '20' } });
  await user.selectOptions(unit(), 'steps');
  expect(length()).toHaveValue(2000);
  await user.selectOptions(unit(), 'minutes');
  await user.click(start());
  await waitFor(() => expect(backend.ordered[0]?.length).toEqual({ minutes: 20 }));
});

test('conversations are learned from with a word on what the drafter may give away', async () => {
  const backend = backendWithModels();
  const user = await openTrain(backend);
  const conversations = (await form()).getByRole('radio', { name: 'Your conversations' });
  expect(conversations).toHaveAccessibleDescription(/The drafter learns what was said: think before you publish it\.$/);
  await user.click(conversations);
  expect(screen.queryByRole('group', { name: 'Suites' })).not.toBeInTheDocument();
  await user.click(start());
  await waitFor(() => expect(backend.ordered[0]?.data).toEqual({ from: 'conversations' }));
});

test('a file of prompts is chosen in the dialog, its path is shown, and a dismissed dialog changes nothing', async () => {
  const backend = backendWithModels();
  const user = await openTrain(backend);
  await user.click((await form()).getByRole('radio', { name: 'A file of prompts' }));
  expect(obstacle()).toHaveTextContent('Choose a file of prompts.');
  expect(start()).toBeDisabled();
  const choose = screen.getByRole('button', { name: 'Choose…' });
  backend.chosenPrompts = '/data/prompts.txt';
  await user.click(choose);
  await waitFor(() => expect(screen.getByTestId('prompts-path')).toHaveTextContent('/data/prompts.txt'));
  backend.chosenPrompts = null;
  await user.click(choose);
  backend.failing.set('choosePrompts', 'The dialog could not be opened.');
  await user.click(choose);
  expect(await screen.findByText('The dialog could not be opened.')).toBeInTheDocument();
  expect(screen.getByTestId('prompts-path')).toHaveTextContent('/data/prompts.txt');
  await user.click(start());
  await waitFor(() => expect(backend.ordered[0]?.data).toEqual({ from: 'file', path: '/data/prompts.txt' }));
});

test('the estimate is asked for a moment after the last change, and says what everything is', async () => {
  const backend = backendWithModels();
  const user = await openTrain(backend);
  expect(await screen.findByText('81, for the target to answer')).toBeInTheDocument();
  const estimate = within(screen.getByTestId('estimate'));
  const facts = estimate.getAllByRole('definition').map((fact) => fact.textContent);
  expect(facts.slice(1)).toEqual(['about 12 min', 'about 25 min', 'up to 1.2 GB while it lasts; 40 GB available', 'up to 3.1 GB; 12 GB available']);
  const before = backend.estimated.length;
  backend.estimate = { ...backend.estimate, prompts: 41, secondsAnswers: null, secondsSteps: null };
  await user.click(screen.getByRole('checkbox', { name: /^Chat/ }));
  await user.click(screen.getByRole('checkbox', { name: /^Maths/ }));
  expect(await screen.findByText('41, for the target to answer')).toBeInTheDocument();
  expect(backend.estimated.slice(before).at(-1)?.data).toEqual({ from: 'suites', suites: ['code'] });
  expect(estimate.getByText('known once this target wrote something')).toBeInTheDocument();
  expect(estimate.getByText('known once some were timed; minutes can be ordered instead')).toBeInTheDocument();
  backend.estimate = { ...backend.estimate, secondsAnswers: 720, guessed: true };
  await user.click(screen.getByRole('checkbox', { name: /^Maths/ }));
  expect(await screen.findByText('about 12 min, as a guess from how fast this target wrote')).toBeInTheDocument();
});

test('what cannot start says why', async () => {
  const backend = backendWithModels();
  backend.estimate = { ...backend.estimate, memory: 20_000_000_000 };
  const user = await openTrain(backend);
  await waitFor(() => expect(obstacle()).toHaveTextContent('It takes up to 20 GB of memory, and 12 GB are available.'));
  expect(start()).toBeDisabled();
  expect(start()).toHaveAccessibleDescription('It takes up to 20 GB of memory, and 12 GB are available.');
  backend.estimate = { ...backend.estimate, memory: 1, free: 900_000_000 };
  await fireEvent.input(screen.getByRole('slider', { name: 'γ' }), { target: { value: '6' } });
  await waitFor(() => expect(obstacle()).toHaveTextContent('It takes up to 1.2 GB of the disk, and 900 MB are available. Make some room first.'));
  for (const suite of screen.getAllByRole('checkbox', { checked: true })) await user.click(suite);
  expect(obstacle()).toHaveTextContent('Choose at least one suite.');
  await user.clear(name());
  expect(obstacle()).toHaveTextContent('Give the drafter a name.');
  await user.type(name(), 'DSpark-270m');
  expect(obstacle()).toHaveTextContent('There is a model or a training of this name already. Choose another name.');
  await user.type(name(), 'é');
  expect(obstacle()).toHaveTextContent(/^A name has up to 80 letters/);
});

test('an order that cannot be estimated says why, and so does one without prompts', async () => {
  const backend = backendWithModels();
  backend.failing.set('estimateTraining', 'The suite “maths” is empty.');
  const user = await openTrain(backend);
  await waitFor(() => expect(obstacle()).toHaveTextContent('The suite “maths” is empty.'));
  backend.failing.clear();
  backend.estimate = { ...backend.estimate, prompts: 0 };
  await user.click(screen.getByRole('radio', { name: 'Your conversations' }));
  await waitFor(() => expect(obstacle()).toHaveTextContent('It contains no prompts.'));
});

test('without a target the form leads to one, and a broken one cannot be learned from', async () => {
  const backend = new ScriptedBackend();
  const user = await openTrain(backend);
  await waitFor(() => expect(obstacle()).toHaveTextContent('Add a target first: the model to learn from.'));
  backend.registered = [{ ...target, broken: 'The folder is not there any more.' }];
  await fireEvent.focus(window);
  await waitFor(() => expect(obstacle()).toHaveTextContent('This target cannot be used at present. Pick another one.'));
  backend.registered = [];
  await fireEvent.focus(window);
  await user.click(await screen.findByRole('button', { name: 'Get a target' }));
  expect(screen.getByRole('main', { name: 'Models' })).toBeInTheDocument();
});

test('choices that cannot be had are asked for again', async () => {
  const backend = backendWithModels();
  backend.failing.set('trainingChoices', 'The database is locked.');
  const user = await openTrain(backend);
  expect(await screen.findByText('The database is locked.')).toBeInTheDocument();
  backend.failing.clear();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('checkbox', { name: /^Chat/ })).toBeInTheDocument();
});

test('a start that is refused keeps the form, the sentence and the keyboard', async () => {
  const backend = backendWithModels();
  backend.failing.set('startTraining', new Refusal({ code: null, message: 'This training needs up to 2 GB of disk while it lasts, and 1 GB are free; make some room first.' }));
  const user = await openTrain(backend);
  await waitFor(() => expect(start()).toBeEnabled());
  await screen.findByRole('checkbox', { name: /^Chat/ });
  await user.click(start());
  expect(await screen.findByRole('alert')).toHaveTextContent('This training needs up to 2 GB of disk while it lasts, and 1 GB are free; make some room first.');
  await waitFor(() => expect(start()).toHaveFocus());
});

test('a training that begins is in the list and has the keyboard; the next one gets another name', async () => {
  const backend = backendWithModels();
  const user = await openTrain(backend);
  await screen.findByRole('checkbox', { name: /^Chat/ });
  await user.click(start());
  const row = await screen.findByTestId('training');
  await waitFor(() => expect(row).toHaveFocus());
  expect(screen.queryByTestId('training-form')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'New training' }));
  await waitFor(() => expect(screen.getByRole('combobox', { name: 'Target' })).toHaveFocus());
  expect(name()).toHaveValue('gemma-3-270m-it-dspark-2');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.getByRole('button', { name: 'New training' })).toHaveFocus());
});

test('a file system can take the suggested name, whatever the target is called', () => {
  expect(suggested('google/gemma-3-1b-it', 'dflash', new Set())).toBe('gemma-3-1b-it-dflash');
  expect(suggested('My Gemma (LM Studio)', 'dsparkRecurrent', new Set())).toBe('My-Gemma-LM-Studio-dspark-recurrent');
  expect(suggested('/models/Gemma für 日本', 'dflash', new Set())).toBe('Gemma-f-r-dflash');
  expect(suggested('日本', 'dflash', new Set())).toBe('dflash');
  expect(suggested('Gemma', 'dspark', new Set(['gemma-dspark', 'gemma-dspark-2']))).toBe('Gemma-dspark-3');
});

test('names of trainings are taken too, and targets of a chat without one are offered', async () => {
  const backend = backendWithModels();
  backend.kept = { ...backend.kept, target: null };
  backend.course = [training({ id: 1, state: 'paused', name: 'gemma-3-270m-it-dspark' })];
  const user = await openTrain(backend);
  await user.click(await screen.findByRole('button', { name: 'New training' }));
  expect(obstacle()).toHaveTextContent('Pick a target to learn from.');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Target' }), 't');
  expect(name()).toHaveValue('gemma-3-270m-it-dspark-2');
  backend.registered = [model({ id: 'only', role: 'target', folder: '/models/only' })];
  await fireEvent.focus(window);
  await waitFor(() => expect(screen.getByRole('combobox', { name: 'Target' })).toHaveValue('only'));
});
