import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { ask, backendWithModels, composer, open } from './window';

const gamma = () => screen.getByRole('slider', { name: 'γ' });
const minConf = () => screen.getByRole('slider', { name: 'minConf' });
const temperature = () => screen.getByRole('slider', { name: 'Temperature' });
const drafters = () => screen.getByRole('combobox', { name: 'Drafter' });
const targets = () => screen.getByRole('combobox', { name: 'Target' });

function backendWithDrafter() {
  const backend = backendWithModels();
  backend.kept = { ...backend.kept, drafter: 'd' };
  return backend;
}

test('the pickers offer the models by folder name and keep the choice', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  await within(targets()).findByRole('option', { name: 'gemma-3-270m' });
  await user.selectOptions(targets(), 'gemma-3-270m');
  await user.selectOptions(drafters(), 'dspark-270m');
  await waitFor(() => expect(backend.kept).toMatchObject({ target: 'b', drafter: 'd' }));
  await user.selectOptions(drafters(), 'No drafter: plain decoding');
  await waitFor(() => expect(backend.kept).toMatchObject({ target: 'b', drafter: null }));
});

test('a picker leads to adding a model folder', async () => {
  const user = await open(backendWithModels());
  await user.selectOptions(targets(), 'Add a model folder…');
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Folder' })).toHaveFocus());
});

test('without a drafter γ and minConf are off and say why', async () => {
  await open(backendWithModels());
  for (const slider of [gamma(), minConf()]) {
    expect(slider).toBeDisabled();
    expect(slider).toHaveAccessibleDescription('Without a drafter nothing is proposed.');
  }
  expect(temperature()).toBeEnabled();
});

test('γ runs up to the drafter’s limit, which it is until something else is asked for', async () => {
  const backend = backendWithDrafter();
  await open(backend);
  await waitFor(() => expect(gamma()).toBeEnabled());
  expect(gamma()).toHaveAttribute('max', '5');
  expect(gamma()).toHaveAttribute('aria-valuetext', '5 tokens a round');
  await fireEvent.input(gamma(), { target: { value: '1' } });
  await waitFor(() => expect(backend.kept.controls.gamma).toBe(1));
  expect(gamma()).toHaveAttribute('aria-valuetext', '1 token a round');
  await fireEvent.input(gamma(), { target: { value: '5' } });
  await waitFor(() => expect(backend.kept.controls.gamma).toBeNull());
});

test('γ 0 is plain decoding and switches minConf off', async () => {
  const backend = backendWithDrafter();
  await open(backend);
  await waitFor(() => expect(gamma()).toBeEnabled());
  await fireEvent.input(gamma(), { target: { value: '0' } });
  expect(gamma()).toHaveAttribute('aria-valuetext', 'plain decoding');
  expect(minConf()).toHaveAccessibleDescription('γ is 0: nothing is proposed.');
});

test('the next message is sent with what the sliders say', async () => {
  const backend = backendWithDrafter();
  const user = await open(backend);
  await waitFor(() => expect(gamma()).toBeEnabled());
  await fireEvent.input(gamma(), { target: { value: '3' } });
  await fireEvent.input(minConf(), { target: { value: '0.4' } });
  await fireEvent.input(temperature(), { target: { value: '0.7' } });
  await ask(backend, user, 'Hello');
  expect(backend.said[0]?.pair).toEqual({ target: 't', drafter: 'd' });
  expect(backend.said[0]?.controls).toMatchObject({ gamma: 3, minConf: 0.4, temperature: 0.7 });
});

test('a γ kept from a longer drafter is cut to this one’s limit', async () => {
  const backend = backendWithDrafter();
  backend.kept = { ...backend.kept, controls: { ...backend.kept.controls, gamma: 12 } };
  const user = await open(backend);
  await waitFor(() => expect(composer()).toBeEnabled());
  await ask(backend, user, 'Hello');
  expect(backend.said[0]?.controls.gamma).toBe(5);
});

test('sampling controls wait for a temperature', async () => {
  const backend = backendWithModels();
  await open(backend);
  const topP = screen.getByLabelText('Top-p');
  expect(topP).toBeDisabled();
  await fireEvent.input(temperature(), { target: { value: '1' } });
  expect(topP).toBeEnabled();
  await fireEvent.change(topP, { target: { value: '7' } });
  expect(topP).toHaveValue(1);
  await fireEvent.change(screen.getByLabelText('Max tokens'), { target: { value: '64' } });
  await waitFor(() => expect(backend.kept.controls).toMatchObject({ topP: 1, maxTokens: 64, temperature: 1 }));
});

test('the number type is the stored one until float32 is chosen, which is sent and kept', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  await user.click(screen.getByText('More'));
  const type = screen.getByRole('combobox', { name: 'Number type' });
  expect(type).toHaveDisplayValue('as stored');
  await user.selectOptions(type, 'float32');
  await waitFor(() => expect(backend.kept.controls.precision).toBe('float32'));
  await ask(backend, user, 'Hello');
  expect(backend.said[0]?.controls.precision).toBe('float32');
});
