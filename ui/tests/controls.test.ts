import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { ask, backendWithModels, composer, drafter, open, target } from './window';

const gamma = () => screen.getByRole('slider', { name: 'γ' });
const minConf = () => screen.getByRole('slider', { name: 'minConf' });
const schedule = () => screen.getByRole('combobox', { name: 'Schedule' });
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

test('without a drafter γ, minConf and the schedule are off and say why', async () => {
  await open(backendWithModels());
  for (const control of [gamma(), minConf(), schedule()]) {
    expect(control).toBeDisabled();
    expect(control).toHaveAccessibleDescription('Without a drafter nothing is proposed.');
  }
  expect(temperature()).toBeEnabled();
});

test('γ runs up to the drafter’s limit, and is left to the machine until a length is asked for', async () => {
  const backend = backendWithDrafter();
  await open(backend);
  await waitFor(() => expect(gamma()).toBeEnabled());
  expect(gamma()).toHaveAttribute('max', '5');
  expect(gamma()).toHaveAttribute('aria-valuetext', 'auto, up to 5 tokens a round');
  const auto = () => screen.queryByRole('button', { name: 'Set γ to auto' });
  expect(auto()).not.toBeInTheDocument();
  await fireEvent.input(gamma(), { target: { value: '1' } });
  await waitFor(() => expect(backend.kept.controls.gamma).toBe(1));
  expect(gamma()).toHaveAttribute('aria-valuetext', 'up to 1 token a round');
  await fireEvent.input(gamma(), { target: { value: '5' } });
  await waitFor(() => expect(backend.kept.controls.gamma).toBe(5));
  await fireEvent.click(auto()!);
  await waitFor(() => expect(backend.kept.controls.gamma).toBeNull());
  expect(gamma()).toHaveAttribute('aria-valuetext', 'auto, up to 5 tokens a round');
});

test('a γ that is set is always proposed by a drafter without confidence, and at most by one that has some', async () => {
  const backend = backendWithDrafter();
  backend.registered = backend.registered.map((each) => (each.id === 'd' ? { ...each, drafts: { ...each.drafts!, confident: false } } : each));
  await open(backend);
  await waitFor(() => expect(gamma()).toBeEnabled());
  await fireEvent.input(gamma(), { target: { value: '2' } });
  expect(gamma()).toHaveAttribute('aria-valuetext', '2 tokens a round');
});

test('a drafter that does not suit the target is told of before anything is asked', async () => {
  const backend = backendWithDrafter();
  const why = 'The drafter was made for a target whose hidden size is 2560, this one’s is 640.';
  backend.misfits.set('t d', why);
  const user = await open(backend);
  await waitFor(() => expect(gamma()).toBeDisabled());
  for (const control of [gamma(), minConf(), schedule()]) expect(control).toHaveAccessibleDescription(why);
  expect(screen.getByRole('option', { name: 'dspark-270m (not for this target)' })).toBeInTheDocument();
  expect(screen.getByRole('heading', { name: 'dspark-270m is not for gemma-3-270m-it' })).toBeInTheDocument();
  expect(screen.getByText('This drafter is not for this target. Pick another one, or none.')).toBeInTheDocument();
  await user.selectOptions(targets(), 'gemma-3-270m');
  await waitFor(() => expect(gamma()).toBeEnabled());
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
  const size = screen.getByLabelText('Context');
  expect(size).toHaveValue(0);
  for (const [typed, kept] of [['4096', 4096], ['0', null]] as const) {
    await fireEvent.change(size, { target: { value: typed } });
    await waitFor(() => expect(backend.kept.controls.context).toBe(kept));
  }
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

test('a γ that nobody asked for is not sent, so that the schedule stays open', async () => {
  const backend = backendWithDrafter();
  const user = await open(backend);
  await ask(backend, user, 'Hello');
  expect(backend.said[0]?.controls).toMatchObject({ schedule: 'auto', gamma: null, minConf: null });
});

test('more than is usual for a drafter can be asked for, up to its limit', async () => {
  const backend = backendWithDrafter();
  backend.registered = [target, { ...drafter, drafts: { limit: 8, usual: 3, confident: false } }];
  const user = await open(backend);
  await waitFor(() => expect(gamma()).toBeEnabled());
  expect(gamma()).toHaveAttribute('max', '8');
  expect(gamma()).toHaveValue('3');
  expect(gamma()).toHaveAccessibleDescription('Most tokens to propose, usually 3. 0 is plain.');
  await fireEvent.input(gamma(), { target: { value: '8' } });
  await ask(backend, user, 'Hello');
  expect(backend.said[0]?.controls.gamma).toBe(8);
});

test('lookup is offered beside the models, and kept and sent like one', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  await user.selectOptions(drafters(), 'Lookup (no model)');
  await waitFor(() => expect(backend.kept.drafter).toBe('lookup'));
  await ask(backend, user, 'Hello');
  expect(backend.said[0]?.pair).toEqual({ target: 't', drafter: 'lookup' });
});

test('what needs a confidence is off for a drafter without one, and a kept minConf is not sent', async () => {
  const backend = backendWithModels();
  backend.kept = { ...backend.kept, drafter: 'lookup', controls: { ...backend.kept.controls, minConf: 0.4 } };
  const user = await open(backend);
  await waitFor(() => expect(schedule()).toBeEnabled());
  expect(minConf()).toBeDisabled();
  expect(minConf()).toHaveAccessibleDescription('This drafter has no confidence in its tokens.');
  expect(within(schedule()).getByRole('option', { name: 'Gate' })).toBeDisabled();
  expect(within(schedule()).getByRole('option', { name: 'Adaptive' })).toBeEnabled();
  await ask(backend, user, 'Hello');
  expect(backend.said[0]?.controls.minConf).toBeNull();
});

test('a schedule says what it does and what it lacks', async () => {
  const backend = backendWithDrafter();
  const user = await open(backend);
  await waitFor(() => expect(schedule()).toBeEnabled());
  expect(schedule()).toHaveAccessibleDescription('As long as it pays here; parked while it loses.');
  await user.selectOptions(schedule(), 'Gate');
  expect(schedule()).toHaveAccessibleDescription('It needs a threshold: set minConf.');
  await fireEvent.input(minConf(), { target: { value: '0.5' } });
  expect(schedule()).toHaveAccessibleDescription('Ends where a confidence is below minConf, the first too.');
  await user.selectOptions(schedule(), 'Fixed');
  expect(minConf()).toHaveAccessibleDescription('The schedule “fixed” does not look at confidences.');
  await waitFor(() => expect(backend.kept.controls.schedule).toBe('fixed'));
});

test('what the window does not show is kept as it was set elsewhere', async () => {
  const backend = backendWithModels();
  const elsewhere = { ...backend.kept.controls, context: 4096, penaltyWindow: 64, rule: 'ratio' as const, stop: ['END'], minP: 0.05 };
  backend.kept = { ...backend.kept, controls: elsewhere };
  const user = await open(backend);
  await user.click(screen.getByText('More sampling'));
  await fireEvent.change(screen.getByLabelText('Repetition'), { target: { value: '1.1' } });
  await waitFor(() => expect(backend.kept.controls).toEqual({ ...elsewhere, repetition: 1.1 }));
});
