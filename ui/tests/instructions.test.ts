// What goes along with a question: instructions, their presets, and files.
import { screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { message } from '../scripted/samples';
import { backendWithTalks } from './talks';
import { ask, backendWithModels, composer, open } from './window';

const toggle = () => screen.getByRole('button', { name: /^Instructions/ });
const field = () => screen.getByRole('textbox', { name: 'Instructions' });
const preset = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Preset' });

test('a new chat begins with its instructions, and the next one without', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  await user.click(toggle());
  await waitFor(() => expect(field()).toHaveFocus());
  await user.type(field(), 'Be brief.');
  await ask(backend, user, 'Hello');
  expect(backend.along).toEqual([{ attachments: [], system: 'Be brief.' }]);
  expect(field()).toHaveValue('Be brief.');
  await user.click(screen.getByRole('button', { name: /^New chat/ }));
  await waitFor(() => expect(field()).toHaveValue(''));
});

test('the instructions of a conversation are shown, and kept as they are typed', async () => {
  const backend = backendWithTalks();
  backend.talks[0]!.system = 'Rhyme.';
  const user = await open(backend);
  expect(await screen.findByText('Older')).toBeInTheDocument();
  expect(toggle()).toHaveAccessibleName('Instructions');
  await user.click(screen.getByText('Older'));
  await waitFor(() => expect(toggle()).toHaveAccessibleName('Instructions, set'));
  await user.click(toggle());
  expect(field()).toHaveValue('Rhyme.');
  await user.type(field(), ' Always.');
  await waitFor(() => expect(backend.talks[0]?.system).toBe('Rhyme. Always.'));
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('textbox', { name: 'Instructions' })).not.toBeInTheDocument();
  await waitFor(() => expect(toggle()).toHaveFocus());
});

test('instructions that cannot be kept say why', async () => {
  const backend = backendWithTalks();
  backend.failing.set('setSystem', 'The disk is full.');
  const user = await open(backend);
  await user.click(await screen.findByText('Older'));
  await user.click(toggle());
  await user.type(field(), 'x');
  expect(await screen.findByText('The disk is full.')).toBeInTheDocument();
});

test('a preset is saved with the settings, picked with them, and removed', async () => {
  const backend = backendWithModels();
  backend.kept = { ...backend.kept, controls: { ...backend.kept.controls, temperature: 0.7 } };
  const user = await open(backend);
  await user.click(toggle());
  await user.type(field(), 'Rhyme.');
  await user.click(screen.getByRole('button', { name: 'Save as a preset…' }));
  await user.keyboard('Poet{Enter}');
  await waitFor(() => expect(preset()).toHaveValue('Poet'));
  expect(backend.kinds).toMatchObject([{ name: 'Poet', system: 'Rhyme.', controls: { temperature: 0.7 } }]);

  await user.clear(field());
  backend.kinds[0]!.controls.temperature = 0.7;
  expect(preset()).toHaveValue('');
  await user.selectOptions(preset(), 'Poet');
  expect(field()).toHaveValue('Rhyme.');
  await waitFor(() => expect(backend.kept.controls.temperature).toBe(0.7));
  await user.click(screen.getByRole('button', { name: 'Remove “Poet”' }));
  await waitFor(() => expect(backend.kinds).toEqual([]));
  expect(field()).toHaveValue('Rhyme.');
});

test('presets are told apart by name, also without instructions or with the same ones', async () => {
  const backend = backendWithModels();
  const { controls } = backend.kept;
  const warm = { ...controls, temperature: 0.7 };
  backend.kinds = [{ name: 'Plain', system: '', controls: warm }, { name: 'One', system: 'Rhyme.', controls }, { name: 'Other', system: 'Rhyme.', controls }];
  const user = await open(backend);
  await user.click(toggle());
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Preset' }), 'Plain');
  expect(preset()).toHaveValue('Plain');
  await waitFor(() => expect(backend.kept.controls.temperature).toBe(0.7));
  await user.selectOptions(preset(), 'Other');
  expect(preset()).toHaveValue('Other');
  await user.click(screen.getByRole('button', { name: 'Remove “Other”' }));
  await waitFor(() => expect(backend.kinds.map(({ name }) => name)).toEqual(['Plain', 'One']));
});

test('a preset that was removed or replaced comes back by Undo, and so do instructions that one replaced', async () => {
  const backend = backendWithModels();
  const poet = { name: 'Poet', system: 'Rhyme.', controls: backend.kept.controls };
  backend.kinds = [poet];
  const user = await open(backend);
  const undo = () => user.click(screen.getByRole('button', { name: 'Undo' }));
  await user.click(toggle());
  await user.type(field(), 'Typed.');
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Preset' }), 'Poet');
  expect(screen.getByTestId('toast')).toHaveTextContent('“Poet” has replaced the instructions.');
  await undo();
  await waitFor(() => expect(field()).toHaveValue('Typed.'));

  await user.click(screen.getByRole('button', { name: 'Save as a preset…' }));
  await user.keyboard('poet');
  await user.click(screen.getByRole('button', { name: 'Replace' }));
  await waitFor(() => expect(backend.kinds).toMatchObject([{ name: 'poet', system: 'Typed.' }]));
  expect(await screen.findByTestId('toast')).toHaveTextContent('Replaced the preset “Poet”.');
  await undo();
  await waitFor(() => expect(backend.kinds).toEqual([poet]));

  await user.selectOptions(preset(), 'Poet');
  await user.click(screen.getByRole('button', { name: 'Remove “Poet”' }));
  await waitFor(() => expect(backend.kinds).toEqual([]));
  await user.click(screen.getAllByRole('button', { name: 'Undo' }).at(-1)!);
  await waitFor(() => expect(backend.kinds).toEqual([poet]));
});

test('a preset that cannot be saved says why, and Escape leaves only its name', async () => {
  const backend = backendWithModels();
  backend.failing.set('savePreset', 'A preset needs a name of at most 60 letters.');
  const user = await open(backend);
  await user.click(toggle());
  await user.click(screen.getByRole('button', { name: 'Save as a preset…' }));
  await user.keyboard('x{Enter}');
  expect(await screen.findByText('A preset needs a name of at most 60 letters.')).toBeInTheDocument();
  await user.keyboard('{Escape}');
  expect(field()).toBeInTheDocument();
  expect(screen.queryByRole('textbox', { name: 'Name of the preset' })).not.toBeInTheDocument();
});

test('files are chosen, taken off again, and go with the question', async () => {
  const backend = backendWithModels();
  backend.chosenFiles = [
    { name: 'notes.txt', text: 'Élan' },
    { name: 'data.csv', text: 'a,b\n'.repeat(500) },
  ];
  const user = await open(backend);
  await user.click(screen.getByRole('button', { name: 'Attach text files' }));
  const chips = () => within(screen.getByRole('list', { name: 'Attached files' })).getAllByRole('listitem');
  await waitFor(() => expect(chips().map(({ textContent }) => textContent?.trim())).toEqual(['notes.txt 5 bytes', 'data.csv 2.0 kB']));
  await user.click(screen.getByRole('button', { name: 'Take off data.csv' }));
  expect(chips()).toHaveLength(1);
  await ask(backend, user, 'What is this?');
  expect(backend.along[0]?.attachments).toEqual([backend.chosenFiles[0]]);
  expect(screen.getByRole('list', { name: 'Attached files' })).toHaveTextContent('notes.txt');
  expect(screen.queryByRole('button', { name: 'Take off notes.txt' })).not.toBeInTheDocument();
});

test('files stay with what is typed in their conversation, and with what was refused', async () => {
  const backend = backendWithTalks();
  backend.chosenFiles = [{ name: 'notes.txt', text: 'x' }];
  const user = await open(backend);
  await user.click(screen.getByRole('button', { name: 'Attach text files' }));
  await screen.findByText('notes.txt');
  backend.failing.set('say', 'Another answer is running.');
  await user.type(composer(), 'Hello{Enter}');
  await screen.findByTestId('refusal');
  expect(screen.getByText('notes.txt')).toBeInTheDocument();
  await user.click(screen.getByText('Newer'));
  await waitFor(() => expect(screen.queryByText('notes.txt')).not.toBeInTheDocument());
});

test('a file that cannot be attached says why', async () => {
  const backend = backendWithModels();
  backend.failing.set('chooseAttachments', '“photo.png” cannot be attached: it is not UTF-8 text.');
  const user = await open(backend);
  await user.click(screen.getByRole('button', { name: 'Attach text files' }));
  expect(await screen.findByTestId('refusal')).toHaveTextContent('“photo.png” cannot be attached: it is not UTF-8 text.');
});

test('the files of an older question are shown with it', async () => {
  const backend = backendWithTalks();
  backend.written.set(1, [message({ id: 11, author: 'user', text: 'Who?', attachments: [{ name: 'notes.txt', text: 'x' }] })]);
  const user = await open(backend);
  await user.click(await screen.findByText('Older'));
  expect(await screen.findByText('notes.txt')).toBeInTheDocument();
});
