import Joi from 'joi';
import { operation } from '../operation.js';
import { overview } from '../overview-schemas.js';

/** The figures for the first page of a client. */
export const overviewOperations = {
  showOverview: operation({
    method: 'get',
    path: '/api/overview',
    tag: 'Overview',
    summary: 'Figures of the whole programme for the super admin, of their own courses for trainers and trainees',
    description: 'The answer depends on the role of the caller, which it names.',
    access: { kind: 'scoped', roles: ['trainee', 'trainer', 'super_admin'] },
    success: {
      status: 200,
      description: 'The figures',
      body: Joi.object({ overview }),
    },
  }),
};
