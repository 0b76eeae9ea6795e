import type { TrainingKind } from '../backend/backend';

const endings: Record<TrainingKind, string> = {
  dspark: 'dspark',
  dsparkRecurrent: 'dspark-recurrent',
  dflash: 'dflash',
  dflash2: 'dflash2',
};

/** A name for a drafter of this target that none of the names has; they are in small letters. */
export function suggested(target: string, kind: TrainingKind, taken: ReadonlySet<string>): string {
  const last = target.split('/').at(-1) ?? target;
  // A folder and a model will have this name.
  const plain = last.replace(/[^a-z0-9._-]+/gi, '-').replace(/^[-._]+|-+$/g, '').slice(0, 56);
  const name = plain === '' ? endings[kind] : `${plain}-${endings[kind]}`;
  let result = name;
  for (let number = 2; taken.has(result.toLowerCase()); number += 1) result = `${name}-${number}`;
  return result;
}
