import { bench, describe } from 'vitest';
import { model } from '../scripted/samples';
import { matching, namesOf } from '../src/lib/models/names';

// What the window does with ten thousand models that it has; listing them is `tests/examples/library.rs`.
const models = Array.from({ length: 10_000 }, (_, number) =>
  model({ id: `name-${number}`, role: 'target', folder: `/f/${number}`, repo: `owner-${number % 100}/name-${number}` }),
);
const names = namesOf(models);

describe('ten thousand models', () => {
  bench('list: their names', () => void namesOf(models));
  bench('search: part of a name', () => void matching(models, names, 'AME-99'));
  bench('search: nothing', () => void matching(models, names, 'nowhere'));
});
