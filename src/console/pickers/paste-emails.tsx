import { Button, Collapse, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconClipboardList } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../i18n/format.js';
import { messageOf } from '../ui/messages.js';
import { emailsIn, maxEmails } from './emails.js';

interface PasteEmailsProps {
  /** Selects the people with these emails. @returns the number of found people, and the other emails @throws ApiError */
  onFind(emails: readonly string[]): Promise<{ found: number; unknown: readonly string[] }>;
  /** Says why emails select nobody. */
  unknownText(count: number): string;
}

/** Selects people by a list of emails. The field keeps the emails that were not found. */
export function PasteEmails({ onFind, unknownText }: PasteEmailsProps) {
  const { t } = useTranslation();
  const id = useId();
  const [opened, { toggle }] = useDisclosure();
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const [found, setFound] = useState<number>();
  const [searching, setSearching] = useState(false);
  const emails = emailsIn(text);

  async function find(): Promise<void> {
    setFound(undefined);
    if (emails.length > maxEmails) {
      setError(t('enrollments.paste.tooMany', { most: formatNumber(maxEmails) }));
      return;
    }
    setSearching(true);
    try {
      const result = await onFind(emails);
      setFound(result.found);
      setText(result.unknown.join('\n'));
      setError(result.unknown.length === 0 ? undefined : unknownText(result.unknown.length));
    } catch (failure) {
      setError(messageOf(failure, t));
    } finally {
      setSearching(false);
    }
  }
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<IconClipboardList size={16} aria-hidden />}
        aria-expanded={opened}
        aria-controls={id}
        onClick={toggle}
      >
        {t('enrollments.paste.action')}
      </Button>
      <Collapse expanded={opened} id={id}>
        <Stack gap="xs" pt="xs" align="flex-start">
          <Textarea
            w="100%"
            label={t('enrollments.paste.label')}
            description={t('enrollments.paste.hint')}
            value={text}
            onChange={({ currentTarget }) => {
              setText(currentTarget.value);
              setError(undefined);
            }}
            error={error !== undefined && <span role="alert">{error}</span>}
            autosize
            minRows={3}
            maxRows={8}
          />
          <Button
            variant="default"
            size="xs"
            loading={searching}
            disabled={emails.length === 0}
            onClick={() => void find()}
          >
            {t('enrollments.paste.select', { count: emails.length })}
          </Button>
          <Text size="sm" role="status">
            {found !== undefined && t('enrollments.paste.found', { count: found })}
          </Text>
        </Stack>
      </Collapse>
    </div>
  );
}
