import type { Command } from 'commander';
import { AppError } from '../../errors.js';
import { accountJson } from '../accounts.js';
import { define, type Registry } from '../command.js';
import { readPassword } from '../input.js';
import { createPrompts } from '../prompts.js';
import type { Run } from '../run.js';

interface RegisterOptions {
  firstName?: string;
  lastName?: string;
  email?: string;
  phone?: string;
  role?: string;
  inactive?: true;
  passwordStdin?: true;
}

export function register(users: Command, registry: Registry): void {
  define<RegisterOptions>(users, registry, {
    usage: 'register',
    summary: 'Create one account; asks for what is not given',
    examples: [
      'users register',
      'users register --first-name Grace --last-name Hopper --email grace@example.org --phone "555 0101" --role trainer --password-stdin < password.txt',
    ],
    options: (command) =>
      command
        .option('--first-name <name>', '2 to 50 characters')
        .option('--last-name <name>', '2 to 50 characters')
        .option('--email <address>', 'unique; used to sign in')
        .option('--phone <number>', 'unique; used to sign in')
        .option('--role <role>', 'trainee, trainer or super_admin')
        .option('--inactive', "create the account so that it can't sign in yet")
        .option('--password-stdin', 'read the password from standard input'),
    async run(run) {
      const input = await registerInput(run);
      const [{ registerUser }, { operator }] = await Promise.all([
        import('../../services/users.js'),
        import('../../services/core.js'),
      ]);
      const user = await registerUser(await run.context(), operator, input);
      return { json: { user: accountJson(user) }, text: `Created ${user.role} ${user.email} (${user.id}).` };
    },
  });
}

async function registerInput(run: Run<RegisterOptions>): Promise<object> {
  const { firstName, lastName, email, phone, role, inactive, passwordStdin } = run.options;
  const isActive = !inactive;
  if (!run.interactive) {
    if (!passwordStdin)
      throw new AppError('USAGE', 'Without a terminal the password is piped in: add --password-stdin.');
    return { firstName, lastName, email, phone, role, isActive, password: await readPassword(run.io) };
  }
  const [fields, prompts] = await Promise.all([import('../../schemas/fields.js'), createPrompts(run.io)]);
  return {
    firstName: firstName ?? (await prompts.text('First name', fields.firstName)),
    lastName: lastName ?? (await prompts.text('Last name', fields.lastName)),
    email: email ?? (await prompts.text('Email', fields.email)),
    phone: phone ?? (await prompts.text('Phone', fields.phone)),
    role:
      role ??
      (await prompts.choose('Role', [
        { value: 'trainee', name: 'Trainee' },
        { value: 'trainer', name: 'Trainer' },
      ])),
    isActive,
    password: passwordStdin ? await readPassword(run.io) : await prompts.newPassword('Password', fields.password),
  };
}
