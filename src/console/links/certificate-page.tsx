import { Alert, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconCircleCheck, IconPrinter } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/queries.js';
import { AppearanceMenu, LanguageFailure, useLanguageChange } from '../appearance/appearance-menu.js';
import { PoweredBy } from '../appearance/brand.js';
import { type Certificate, CertificateSheet } from '../paper/certificate-sheet.js';
import { SignInLayout } from '../sign-in/sign-in-layout.js';
import { useDocumentTitle } from '../ui/document-title.js';
import { useApiForm } from '../ui/forms/form.js';
import { Failed, Loading } from '../ui/states.js';

/** Code in the URL, without typed spaces. */
function codeInAddress(): string {
  const [, , code = ''] = window.location.pathname.split('/');
  try {
    return decodeURIComponent(code).replace(/\s/g, '');
  } catch (error) {
    // Invalid percent-encoding: not a valid code, so the service refuses it.
    if (error instanceof URIError) return code;
    throw error;
  }
}

/** Public page to check and print the certificate whose code is in the URL; without a code, a form that asks for it. */
export function CertificatePage() {
  const { t } = useTranslation();
  const code = codeInAddress();
  const check = useApi('verifyCertificate', { path: { code } }, { enabled: code !== '' });
  if (code === '') return <AskForCode title={t('links.certificate.check')} hint={t('links.certificate.checkHint')} />;
  if (check.data?.certificate) return <ValidCertificate certificate={check.data.certificate} />;
  // For texts that can't be a code, the service responds with 404.
  if (check.data || check.error?.status === 404)
    return <AskForCode title={t('links.certificate.invalid')} hint={t('links.certificate.invalidHint')} />;
  return (
    <SignInLayout title={t('links.certificate.check')}>
      {check.error ? <Failed error={check.error} onRetry={() => void check.refetch()} /> : <Loading lines={3} />}
    </SignInLayout>
  );
}

function AskForCode({ title, hint }: { title: string; hint: string }) {
  const { t } = useTranslation();
  const form = useApiForm({
    initialValues: { code: codeInAddress() },
    submit: async ({ code }) => window.location.assign(`/certificates/${encodeURIComponent(code.trim())}`),
  });
  return (
    <SignInLayout title={title} hint={hint}>
      <form onSubmit={form.onSubmit} noValidate>
        <Stack>
          <TextInput
            {...form.field('code')}
            label={t('links.certificate.code')}
            dir="ltr"
            autoComplete="off"
            required
          />
          <Button type="submit">{t('links.certificate.check')}</Button>
        </Stack>
      </form>
    </SignInLayout>
  );
}

function ValidCertificate({ certificate }: { certificate: Certificate }) {
  const { t } = useTranslation();
  const language = useLanguageChange();
  useDocumentTitle(t('links.certificate.kind'));
  return (
    <Stack component="main" id="content" className="certificate-page">
      <Group justify="space-between">
        <Title order={1} size="h3" tabIndex={-1} className="page-heading">
          {t('links.certificate.kind')}
        </Title>
        <Group gap="xs">
          <Button leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
            {t('links.certificate.print')}
          </Button>
          <AppearanceMenu onLanguage={(chosen) => void language.change(chosen)} />
        </Group>
      </Group>
      <LanguageFailure failed={language.failed} />
      <Alert color="teal" variant="light" icon={<IconCircleCheck aria-hidden />} title={t('links.certificate.valid')}>
        <Text size="sm">{t('links.certificate.validHint', { programme: certificate.programme })}</Text>
      </Alert>
      <CertificateSheet certificate={certificate} />
      <PoweredBy />
    </Stack>
  );
}
