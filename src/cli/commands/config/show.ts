import { describeSettings } from '../../../config/show.js';
import type { Result, Run } from '../../core/command/run.js';
import { rowsText } from '../../core/listing/table.js';

export async function show({ io, config, display }: Run): Promise<Result> {
  // Loading the settings prints warnings about unknown names.
  await config();
  const settings = describeSettings({ env: io.env, cwd: io.cwd });
  const rows = settings.map(({ name, value, origin }) => [name, value, origin]);
  return { json: { settings }, text: rowsText(['SETTING', 'VALUE', 'FROM'], rows, display) };
}
