import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { Page } from '../ui/page.js';
import { Loaded, Loading } from '../ui/states.js';

type AnyOverview = ResponseBody<'showOverview'>['overview'];
export type Overview<Role extends AnyOverview['role']> = Extract<AnyOverview, { role: Role }>;

const isOf = <Role extends AnyOverview['role']>(role: Role, overview: AnyOverview): overview is Overview<Role> =>
  overview.role === role;

interface OverviewPageProps<Role extends AnyOverview['role']> {
  viewer: Role;
  /** Whether other content above the figures is still loading. */
  isPending?: boolean;
  children(overview: Overview<Role>): ReactNode;
}

export function OverviewPage<Role extends AnyOverview['role']>({
  viewer,
  isPending = false,
  children,
}: OverviewPageProps<Role>) {
  const { t } = useTranslation();
  const query = useApi('showOverview', {});
  return (
    <Page title={t('overview.title')}>
      <Loaded query={query} lines={10}>
        {({ overview }) => (isOf(viewer, overview) && !isPending ? children(overview) : <Loading lines={10} />)}
      </Loaded>
    </Page>
  );
}
