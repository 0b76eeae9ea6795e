import type { Model } from '../backend/backend';
import type { Models } from '../models/models.svelte';

/** What the models that are picked lack to answer, in a sentence; null if that is nothing. */
export function lacking({ failure, loading, targets }: Models, target: Model | null, drafter: Model | null): string | null {
  if (failure !== null) return failure;
  if (!target && loading) return 'Looking for models…';
  if (!target) return targets.length > 0 ? 'Pick a target to write to.' : 'Add a target first: the model that answers.';
  if (target.broken !== null) return 'This target cannot be used at present. Pick another one.';
  return drafter && drafter.broken !== null ? 'This drafter cannot be used at present. Pick another one, or none.' : null;
}
