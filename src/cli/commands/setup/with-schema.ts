import type { Schema } from '../../../context.js';
import type { Run } from '../../core/run.js';

/**
 * Opens a database to inspect it, and closes it again.
 * @param settings on top of those of the environment
 */
export async function withSchema<T>(
  run: Run,
  settings: Record<string, string>,
  look: (schema: Schema) => Promise<T>,
): Promise<T> {
  const [{ createContext }, { createLogger }] = await Promise.all([
    import('../../../context.js'),
    import('../../../logger.js'),
  ]);
  const context = await createContext(await run.config(settings), createLogger('silent', { write: () => undefined }));
  try {
    return await look(context.schema);
  } finally {
    await context.close();
  }
}
