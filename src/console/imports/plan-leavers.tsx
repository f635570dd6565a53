import { Alert, List, Paper, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { formatNumber } from '../i18n/format.js';
import { TextLink } from '../ui/links.js';
import type { Import, Plan } from './import-status.js';
import { LeavingEffects } from './leaving-effects.js';

type Row = ResponseBody<'listImportRows'>['rows'][number];

/** Maximum of leaving members that are named above the list of all rows. */
const maxNamed = 10;

interface PlanLeaversProps {
  current: Pick<Import, 'id' | 'options'>;
  plan: Plan;
}

/** Members who leave the group of a sync, by name, and whether the sync needs an approval. */
export function PlanLeavers({ current: { id, options }, plan: { roster } }: PlanLeaversProps) {
  const { t } = useTranslation();
  const leaving = roster?.leaving ?? 0;
  const query = { outcome: 'left', limit: maxNamed } as const;
  const rows = useApi('listImportRows', { path: { id }, query }, { enabled: leaving > 0 }).data?.rows ?? [];
  if (!roster) return null;
  const { held, isFirst } = roster;
  const group = String(options.roster);
  const members = formatNumber(roster.members);
  return (
    <>
      {held && (
        <Alert color="red" variant="light" role="alert" title={t('imports.roster.held')}>
          {t('imports.roster.heldText', {
            leaving: formatNumber(held.leaving),
            members,
            group,
            limit: formatNumber(held.limit),
          })}
        </Alert>
      )}
      <Paper withBorder p="md">
        <Title order={2} size="h4">
          {leaving === 0
            ? t('imports.roster.none', { group })
            : t('imports.roster.leave', { count: leaving, members, group })}
        </Title>
        {isFirst && <Text size="sm">{t('imports.roster.first')}</Text>}
        {roster.deactivated > 0 && <Text size="sm">{t('imports.roster.inactive', { count: roster.deactivated })}</Text>}
        {rows.length > 0 && (
          <List size="sm" my="xs" spacing="xs">
            {rows.map((row) => (
              <List.Item key={row.account?.id ?? row.cells?.join()}>
                <Leaver row={row} />
              </List.Item>
            ))}
          </List>
        )}
        {leaving > maxNamed && (
          <TextLink
            size="sm"
            to="/imports/$id"
            params={{ id }}
            search={{ outcome: 'left' }}
            hash="rows"
            hashScrollIntoView
          >
            {t('imports.roster.showAll')}
          </TextLink>
        )}
      </Paper>
    </>
  );
}

function Leaver({ row: { account, changes } }: { row: Row }) {
  return (
    <>
      {account && (
        <TextLink size="sm" to="/people/$id" params={{ id: account.id }}>
          {account.firstName} {account.lastName} ({account.email})
        </TextLink>
      )}
      {changes && changes.length > 0 && (
        <>
          {': '}
          <LeavingEffects changes={changes} />
        </>
      )}
    </>
  );
}
