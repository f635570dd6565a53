import { ok, operations } from '../operation.js';
import { overview } from '../overview-schemas.js';

const operation = operations('Overview');

/** The figures for the first page of a client. */
export const overviewOperations = {
  showOverview: operation.get('/api/overview', {
    summary: 'Figures of the whole programme for the super admin, of their own courses for trainers and trainees',
    description: 'The response depends on the role of the caller, which it names.',
    access: { kind: 'scoped', roles: ['trainee', 'trainer', 'super_admin'] },
    success: ok('The figures', { overview }),
  }),
};
