import { servePage } from './page';

/** The tests run in other processes, which inherit where the page is. */
export default async function setup(): Promise<() => Promise<void>> {
  const { address, close } = await servePage();
  process.env['SLIPSTREAM_PAGE'] = address;
  return close;
}
