// Runs a script of this folder and prints what it returns: Vite reads TypeScript, and Node 20 does not.
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const [name, ...words] = process.argv.slice(2);
try {
  const { module } = await runnerImport(fileURLToPath(new URL(`${name}.ts`, import.meta.url)), { logLevel: 'silent' });
  console.log(await module.default(...words));
} catch (reason) {
  console.error(reason.message);
  process.exitCode = 1;
}
