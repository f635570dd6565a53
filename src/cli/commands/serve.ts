import type { Command } from 'commander';
import type { Context } from '../../context.js';
import { define, type Registry } from '../command.js';

interface ServeOptions {
  migrate?: true;
  host?: string;
  port?: string;
}

export function register(program: Command, registry: Registry): void {
  define<ServeOptions>(program, registry, {
    usage: 'serve',
    summary: 'Serve the HTTP API until stopped (Ctrl-C or SIGTERM)',
    examples: ['serve', 'serve --migrate', 'serve --host 0.0.0.0 --port 8080'],
    options: (command) =>
      command
        .option('--migrate', 'apply pending migrations first')
        .option('--host <address>', 'listen on this address instead of HOST')
        .option('--port <number>', 'listen on this port instead of PORT'),
    stopsItself: true,
    async run(run) {
      const { host, port, migrate } = run.options;
      const context = await run.context({
        ...(host !== undefined && { HOST: host }),
        ...(port !== undefined && { PORT: port }),
      });
      if (migrate) await context.schema.up();
      await context.schema.assertCurrent();
      // Made now rather than at the first login: a folder that can't be written must stop the start.
      void context.tokens;
      const welcome = await welcomeAt(context);
      const { startServer } = await import('../../http/server.js');
      const server = await startServer(context);
      try {
        context.logger.info({ url: server.url, database: context.config.database.dialect }, 'listening');
        if (run.options.json) await run.emit(JSON.stringify({ url: server.url }));
        run.say(welcome(server.url));
        await new Promise<void>((resolve) => {
          if (run.io.signal.aborted) resolve();
          run.io.signal.addEventListener('abort', () => resolve(), { once: true });
        });
        run.say('Stopping: requests under way may finish.');
      } finally {
        await server.close();
      }
      context.logger.info('stopped');
      return {};
    },
  });
}

/** What to tell the operator once the address is known; whatever can fail about it fails before anything listens. */
async function welcomeAt(context: Context): Promise<(url: string) => string> {
  const [{ databaseUrlForDisplay }, { setupStatus }] = await Promise.all([
    import('../../config.js'),
    import('../../services/setup.js'),
  ]);
  const { setupRequired } = await setupStatus(context);
  const database = databaseUrlForDisplay(context.config.database);
  const next = (url: string) =>
    setupRequired
      ? 'No super admin yet. In another terminal, in this folder, run: npx coursectl setup'
      : `Log in with: curl -X POST ${url}/api/auth/login -H 'Content-Type: application/json' -d '{"identifier":"...","password":"..."}'`;
  return (url) =>
    `coursectl is listening on ${url}\nDatabase: ${database}\nAPI description: ${url}/api/openapi.json\n${next(url)}`;
}
