import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import type { Run } from '../../core/run.js';
import { passwordOption, personOptions } from './person-options.js';

const registerOptions = {
  ...personOptions,
  '--role <role>': 'trainee, trainer or super_admin',
  '--inactive': "create an account that can't sign in yet",
  ...passwordOption,
};

export function register(users: Command, registry: Registry): void {
  define(users, registry, {
    usage: 'register',
    schema: 'current',
    summary: 'Create one account; asks for what is not given',
    examples: [
      'users register',
      'users register --first-name Grace --last-name Hopper --email grace@example.org --phone "555 0101" --role trainer --password-stdin < password.txt',
    ],
    options: registerOptions,
    stopsItself: true,
    async run(run) {
      const input = await registerInput(run);
      const [{ registerUser }, { operator }, { accountJson }] = await Promise.all([
        import('../../../services/accounts/commands.js'),
        import('../../../services/core.js'),
        import('./output.js'),
      ]);
      const user = await registerUser(await run.context(), operator, input);
      return { json: { user: accountJson(user) }, text: `Created ${user.role} ${user.email} (${user.id}).` };
    },
  });
}

async function registerInput(run: Run<'', typeof registerOptions>): Promise<object> {
  const { role, inactive } = run.options;
  const isActive = !inactive;
  const [{ checkPersonOptions, personFromOptions, personFromPrompts }, { registerSchema }] = await Promise.all([
    import('./person-input.js'),
    import('../../../schemas/user.js'),
  ]);
  if (!run.interactive) return personFromOptions(run, registerSchema, { role, isActive });
  await checkPersonOptions(run, registerSchema, { role });
  return personFromPrompts(run, await run.config(), async (prompts) => ({
    isActive,
    role:
      role ??
      (await prompts.choose('Role', [
        { value: 'trainee', name: 'Trainee' },
        { value: 'trainer', name: 'Trainer' },
      ])),
  }));
}
