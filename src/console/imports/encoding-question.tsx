import { Button, Paper, Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { encodingLabels } from './import-options.js';
import type { Plan } from './import-status.js';

type Candidates = NonNullable<Plan['problem']>['candidates'];

interface EncodingQuestionProps {
  candidates: Candidates;
  isPending: boolean;
  onChoose(encoding: Candidates[number]['encoding']): void;
}

/** Asks for the encoding in which the names of a file are correct. */
export function EncodingQuestion({ candidates, isPending, onChoose }: EncodingQuestionProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState('');
  const choice = candidates.find(({ encoding }) => encoding === chosen);
  const labels = encodingLabels(t);
  return (
    <Paper withBorder p="md">
      <Radio.Group label={t('imports.encodings.question')} value={chosen} onChange={setChosen}>
        <Stack gap="xs" mt="xs">
          {candidates.map(({ encoding, names }) => (
            <Radio key={encoding} value={encoding} label={names.join(', ')} description={labels[encoding]} />
          ))}
        </Stack>
      </Radio.Group>
      <Button mt="md" disabled={!choice} loading={isPending} onClick={() => choice && onChoose(choice.encoding)}>
        {t('imports.encodings.choose')}
      </Button>
    </Paper>
  );
}
