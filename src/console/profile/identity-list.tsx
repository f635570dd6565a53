import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { Facts } from '../ui/facts.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { notifyDone } from '../ui/notify.js';
import { Time } from '../ui/time.js';

type Identity = ResponseBody<'listUserIdentities'>['identities'][number];

/** Name of the account at the organisation. */
const accountOf = ({ email, subject }: Identity): string => email ?? subject;

interface IdentityListProps {
  identities: readonly Identity[];
  /** Effects of a removal, in full sentences. */
  removeHint(account: string): string;
  /** Removes an identity; undefined if that is impossible. @throws ApiError */
  onRemove: ((id: string) => Promise<unknown>) | undefined;
}

/** Linked accounts at the organisation, each with a button to remove it. */
export function IdentityList({ identities, removeHint, onRemove }: IdentityListProps) {
  const { t } = useTranslation();
  const [removing, setRemoving] = useState<Identity>();
  return (
    <>
      <Stack component="ul" gap="xs" className="plain-list" aria-label={t('profile.identities.list')}>
        {identities.map((identity) => (
          <Paper key={identity.id} component="li" withBorder p="sm">
            <Group justify="space-between">
              <div>
                <Text fw={500}>{accountOf(identity)}</Text>
                <Facts
                  facts={[
                    [t('profile.identities.createdAt'), <Time key="createdAt" at={identity.createdAt} />],
                    [
                      t('profile.identities.lastUsedAt'),
                      identity.lastUsedAt === null ? (
                        t('profile.identities.unused')
                      ) : (
                        <Time key="lastUsedAt" at={identity.lastUsedAt} relative />
                      ),
                    ],
                  ]}
                />
              </div>
              {onRemove && (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t('profile.identities.removeOne', { account: accountOf(identity) })}
                  onClick={() => setRemoving(identity)}
                >
                  {t('profile.identities.remove')}
                </Button>
              )}
            </Group>
          </Paper>
        ))}
      </Stack>
      <ConfirmDialog
        opened={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        title={t('profile.identities.removeTitle')}
        action={t('profile.identities.remove')}
        destructive
        onConfirm={async () => {
          if (!removing) return;
          await onRemove?.(removing.id);
          notifyDone(t('profile.identities.removed'));
        }}
      >
        {removing && removeHint(accountOf(removing))}
      </ConfirmDialog>
    </>
  );
}
