import { Button, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, type Input, type ResponseBody } from '../api/client.js';
import { useApi, useChange } from '../api/queries.js';
import { formatTime } from '../i18n/format.js';
import { PersonPicker } from '../pickers/person-picker.js';
import { useUser } from '../session/session.js';
import { FormFailure } from '../ui/forms/form-failure.js';
import { lazyPart } from '../ui/lazy.js';
import { TextLink } from '../ui/links.js';
import { BulkBar } from '../ui/lists/bulk-bar.js';
import { type Column, DataTable } from '../ui/lists/data-table.js';
import { FilterSelect, Filters } from '../ui/lists/filters.js';
import { oneOf, type SearchChange, searchNavigation } from '../ui/lists/list-search.js';
import type { PageInfo } from '../ui/lists/pager.js';
import { maxSelected, readAll, useSelection } from '../ui/lists/selection.js';
import { refusalText } from '../ui/messages.js';
import { notifyDone } from '../ui/notify.js';
import { Page } from '../ui/page.js';
import { nameOf } from '../ui/person-name.js';
import { Empty } from '../ui/states.js';
import { StatusBadge, type Tone } from '../ui/status-badge.js';
import { Time } from '../ui/time.js';

const MailTroubleNotice = lazyPart(async () => (await import('./mail-trouble.js')).MailTroubleNotice);

type Mail = ResponseBody<'listMails'>['mails'][number];
type Action = Input<'changeManyMails'>['body']['action'];

const route = getRouteApi('/mail');

const tones: Record<Mail['state'], Tone> = {
  queued: 'waiting',
  sending: 'waiting',
  deferred: 'waiting',
  sent: 'good',
  failed: 'bad',
  withdrawn: 'off',
};

const states = ['queued', 'deferred', 'sending', 'sent', 'failed', 'withdrawn'] as const;
const kinds = [
  ...(['invitation', 'reset', 'email-confirm', 'email-notice', 'email-changed', 'password-changed'] as const),
  ...([
    'role-transferred',
    'sync-held',
    'enrolled',
    'accepted',
    'moved_up',
    'refused',
    'completed',
    'requests',
    'test',
  ] as const),
];

const noFilters = {
  state: undefined,
  kind: undefined,
  userId: undefined,
  importId: undefined,
  address: undefined,
  since: undefined,
};

function columnsOf(t: TFunction): Column<Mail>[] {
  return [
    { id: 'kind', header: t('mail.column.kind'), render: ({ kind }) => t(`mail.kind.${kind}`) },
    {
      id: 'state',
      header: t('mail.column.state'),
      render: ({ state }) => <StatusBadge tone={tones[state]}>{t(`mail.state.${state}`)}</StatusBadge>,
    },
    {
      id: 'person',
      header: t('mail.column.person'),
      render: ({ user, address }) =>
        user ? (
          <TextLink to="/people/$id" params={{ id: user.id }} data-opens-row>
            {nameOf(user)}
          </TextLink>
        ) : (
          (address ?? '–')
        ),
    },
    { id: 'address', header: t('mail.column.address'), optional: true, render: ({ address }) => address ?? '–' },
    { id: 'lastError', header: t('mail.column.lastError'), render: ({ lastError }) => lastError ?? '–' },
    {
      id: 'createdAt',
      header: t('mail.column.createdAt'),
      fixedOrder: 'descending',
      render: ({ createdAt }) => <Time at={createdAt} relative />,
    },
    {
      id: 'nextAt',
      header: t('mail.column.nextAt'),
      optional: true,
      render: ({ nextAt }) => (nextAt === null ? '–' : <Time at={nextAt} />),
    },
    {
      id: 'attempts',
      header: t('mail.column.attempts'),
      optional: true,
      align: 'end',
      render: ({ attempts }) => attempts,
    },
  ];
}

export function MailPage() {
  const { t } = useTranslation();
  const { data } = useApi('showForgotPassword', {});
  return (
    <Page title={t('mail.title')} hint={t('mail.hint')} actions={data?.available && <TestMail />}>
      {data?.available === false && <Empty message={t('mail.off')} />}
      {data?.available && (
        <Stack>
          <Trouble />
          <Mails />
        </Stack>
      )}
    </Page>
  );
}

/** Same notice as on the overview; nothing if it can't be loaded. */
function Trouble() {
  const { data } = useApi('showOverview', {});
  const overview = data?.overview;
  return overview?.role === 'super_admin' && overview.mailTrouble ? (
    <MailTroubleNotice trouble={overview.mailTrouble} />
  ) : null;
}

function Mails() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { userId, importId, since, page = 1, limit = 20 } = search;
  const state = oneOf(states, search.state);
  const kind = oneOf(kinds, search.kind);
  const address = oneOf(['unknown', 'known'], search.address);
  const addressUnknown = address && address === 'unknown';
  const set = Object.entries({ state, kind, userId, importId, addressUnknown, since }).filter(
    ([, value]) => value !== undefined,
  );
  const filter = Object.fromEntries(set) as NonNullable<Input<'listMails'>['query']>;
  const selection = useSelection<Mail>(filter);
  const query = useApi('listMails', { query: { ...filter, page, limit } }, { keepPrevious: true });
  const change = (next: SearchChange<typeof search>) => void navigate(searchNavigation<typeof search>(next));
  const columns = useMemo(() => columnsOf(t), [t]);
  const read = async (following: object) => (await call('listMails', { query: { ...filter, ...following } })).mails;
  const { totalItems = 0, totalItemsCapped = false } = query.data?.pagination ?? {};
  const isRetryable = state === 'failed' && totalItems > 0 && totalItems <= maxSelected && !totalItemsCapped;
  return (
    <Stack gap="sm">
      <Filters align="flex-end" active={set.length}>
        <FilterSelect
          label={t('mail.column.state')}
          any={t('mail.anyState')}
          options={states.map((value) => ({ value, label: t(`mail.state.${value}`) }))}
          value={state}
          onChange={(next) => change({ state: next })}
        />
        <FilterSelect
          label={t('mail.column.kind')}
          any={t('mail.anyKind')}
          options={kinds.map((value) => ({ value, label: t(`mail.kind.${value}`) }))}
          value={kind}
          onChange={(next) => change({ kind: next })}
        />
        <FilterSelect
          label={t('mail.address.label')}
          any={t('mail.address.any')}
          options={(['unknown', 'known'] as const).map((value) => ({ value, label: t(`mail.address.${value}`) }))}
          value={address}
          onChange={(next) => change({ address: next })}
        />
        {since !== undefined && (
          <FilterSelect
            label={t('mail.column.createdAt')}
            any={t('mail.anyTime')}
            options={[{ value: since, label: t('mail.since', { time: formatTime(since) }) }]}
            value={since}
            onChange={(next) => change({ since: next })}
          />
        )}
        <PersonPicker
          label={t('mail.person')}
          placeholder={t('mail.person')}
          value={userId}
          onChange={(next) => change({ userId: next })}
        />
      </Filters>
      {isRetryable && selection.selected.size === 0 && <RetryAll count={totalItems} read={() => readAll(read)} />}
      <DataTable
        label={t('mail.title')}
        columns={columns}
        query={query}
        rows={query.data?.mails}
        pagination={query.data?.pagination}
        rowKey={({ id }) => id}
        rowName={(mail) => `${t(`mail.kind.${mail.kind}`)}, ${mail.address ?? '–'}`}
        search={search}
        onSearch={change}
        selection={selection}
        filtered={set.length > 0}
        onClearFilters={() => change(noFilters)}
        empty={<Empty message={t('mail.none')} />}
      />
      <Changes
        selected={[...selection.selected.values()]}
        pagination={query.data?.pagination}
        onSelectAll={() => selection.selectAll(read)}
        onClear={selection.clear}
      />
    </Stack>
  );
}

function TestMail() {
  const { t } = useTranslation();
  const { email } = useUser();
  const test = useChange('sendTestMail', ['listMails']);
  return (
    <>
      <Button
        variant="default"
        loading={test.isPending}
        onClick={() => test.mutate({ body: { email } }, { onSuccess: () => notifyDone(t('mail.tested', { email })) })}
      >
        {t('mail.test')}
      </Button>
      <FormFailure>{test.error ?? undefined}</FormFailure>
    </>
  );
}

/** Sends all failed mails of the list again. */
function RetryAll({ count, read }: { count: number; read(): Promise<ReadonlyMap<string, Mail>> }) {
  const { t } = useTranslation();
  const change = useChange('changeManyMails');
  const [failure, setFailure] = useState<unknown>();
  const [isWorking, setWorking] = useState(false);

  async function retry(): Promise<void> {
    const { outcomes } = await change.mutateAsync({ body: { action: 'retry', ids: [...(await read()).keys()] } });
    notifyDone(t('mail.done.retry', { count: outcomes.filter(({ outcome }) => outcome === 'done').length }));
  }
  async function act(): Promise<void> {
    setWorking(true);
    setFailure(undefined);
    await retry().catch(setFailure);
    setWorking(false);
  }
  return (
    <div>
      <Button className="wrapping" loading={isWorking} onClick={() => void act()}>
        {t('mail.retryAll', { count })}
      </Button>
      <FormFailure>{failure}</FormFailure>
    </div>
  );
}

/** States that each action applies to. */
const actions: Record<Action, readonly Mail['state'][]> = {
  retry: ['failed', 'deferred'],
  withdraw: ['queued', 'deferred'],
};

interface ChangesProps {
  selected: readonly Mail[];
  pagination: PageInfo | undefined;
  onSelectAll(): Promise<void>;
  onClear(): void;
}

/** Actions for the selected mails, and refusals of the last action. */
function Changes({ selected, onClear, ...list }: ChangesProps) {
  const { t } = useTranslation();
  const change = useChange('changeManyMails');
  const [refusals, setRefusals] = useState<readonly string[]>([]);
  const idsFor = (action: Action) =>
    selected.filter(({ state }) => actions[action].includes(state)).map(({ id }) => id);
  // `actions` has exactly the keys of its type.
  const offered = (Object.keys(actions) as Action[]).filter((action) => idsFor(action).length > 0);

  function act(action: Action): void {
    change.mutate(
      { body: { action, ids: idsFor(action) } },
      {
        onSuccess({ outcomes }) {
          const codes = outcomes.flatMap(({ code }) => (code === null ? [] : [code]));
          setRefusals([...new Set(codes)].map((code) => refusalText({ code }, t)));
          const count = outcomes.length - codes.length;
          if (count > 0) notifyDone(t(`mail.done.${action}`, { count }));
          onClear();
        },
      },
    );
  }

  function clear(): void {
    setRefusals([]);
    change.reset();
    onClear();
  }

  const hasNothing = selected.length > 0 && offered.length === 0;
  return (
    <BulkBar
      {...list}
      count={selected.length}
      actions={offered.map((action) => ({
        key: action,
        label: t(`mail.action.${action}`, { count: idsFor(action).length }),
        isWorking: change.isPending,
        onClick: () => act(action),
      }))}
      onClear={clear}
    >
      {(change.error || refusals.length > 0 || hasNothing) && (
        <>
          <FormFailure>{change.error ?? undefined}</FormFailure>
          {refusals.map((refusal) => (
            <Text key={refusal} size="sm">
              {t('mail.refused', { refusal })}
            </Text>
          ))}
          {hasNothing && <Text size="sm">{t('mail.nothingToDo')}</Text>}
        </>
      )}
    </BulkBar>
  );
}
