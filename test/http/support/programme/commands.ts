import fc from 'fast-check';
import { accountCommands } from './account-commands.js';
import { type Commands, weighted } from './command.js';
import { courseCommands } from './course-commands.js';
import { enrollmentCommands } from './enrollment-commands.js';
import { listingCommands } from './listing-commands.js';
import type { Programme } from './model.js';
import type { Service } from './service.js';
import { compareWhole } from './whole.js';

/** The super admin looks at everything. */
class Look implements fc.AsyncCommand<Programme, Service> {
  check(): boolean {
    return true;
  }

  run(programme: Programme, service: Service): Promise<void> {
    return compareWhole(programme, service);
  }

  toString(): string {
    return 'superAdmin: look at the whole';
  }
}

const everyCommand: Commands = [
  ...courseCommands,
  ...enrollmentCommands,
  ...listingCommands,
  ...accountCommands,
  weighted(1, fc.constant(new Look())),
];

/** A few commands in a row: most that goes wrong needs two or three on the same course. */
export const commands = fc.commands([fc.oneof(...everyCommand)], { maxCommands: 12, size: 'max' });
