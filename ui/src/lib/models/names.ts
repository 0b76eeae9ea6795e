import type { Model, Source } from '../backend/backend';

function parts(folder: string): string[] {
  return folder.split(/[\\/]+/).filter((part) => part !== '');
}

/** A commit as people write it. */
export function short(commit: string): string {
  return commit.slice(0, 7);
}

/** Where a model's files come from. */
export const origins: Record<Source, string> = {
  folder: 'folder',
  downloaded: 'downloaded',
  huggingFaceCache: 'Hugging Face cache',
  lmStudio: 'LM Studio',
  trained: 'trained here',
  demo: 'came with Slipstream',
};

const last = ({ folder, repo }: Model) => (folder === null ? 'Lookup (no model)' : (parts(repo ?? folder).at(-1) ?? folder));
const long = (model: Model) => parts(model.repo ?? model.folder ?? '').slice(-2).join('/');
const origin = ({ source }: Model) => (source === null ? '' : ` (${origins[source]})`);
const at = ({ commit }: Model) => (commit === null ? '' : ` @ ${short(commit)}`);

/** Ever longer names, the last of which no two models share. */
const wordings: ((model: Model) => string)[] = [
  last,
  long,
  (model) => long(model) + origin(model),
  (model) => long(model) + at(model),
  (model) => long(model) + at(model) + origin(model),
  (model) => `${long(model)} (${model.id})`,
];

/**
 * What each model is called: the last part of its repo's name or else of its folder, and more of it where two of one role
 * would read the same.
 */
export function namesOf(models: readonly Model[]): Map<string, string> {
  const names = new Map<string, string>();
  let alike = models;
  for (const wording of wordings) {
    const counts = { target: new Map<string, number>(), drafter: new Map<string, number>() };
    for (const model of alike) {
      const name = wording(model);
      names.set(model.id, name);
      counts[model.role].set(name, (counts[model.role].get(name) ?? 0) + 1);
    }
    alike = alike.filter(({ id, role }) => counts[role].get(names.get(id)!) !== 1);
    if (alike.length === 0) break;
  }
  return names;
}

/** The models whose name, repo or kind holds every word of the text. */
export function matching(models: readonly Model[], names: ReadonlyMap<string, string>, text: string): readonly Model[] {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return models;
  return models.filter(({ id, repo, kind }) => {
    const said = `${names.get(id) ?? id} ${repo ?? ''} ${kind}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
}
