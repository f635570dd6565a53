import { presentOverview } from '../../presenters/overview.js';
import { actorOf } from '../../services/core.js';
import { overview } from '../../services/overview/overview.js';
import type { Handlers } from '../routing/handler.js';

export const overviewHandlers = {
  showOverview: async ({ context, caller }) => ({
    overview: presentOverview(await overview(context, actorOf(caller))),
  }),
} satisfies Partial<Handlers>;
