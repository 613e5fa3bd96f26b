import { useScreenQuery } from '../../data/query.tsx';
import { useUrlValue } from '../../data/url.ts';
import { Empty, Loaded } from '../../design/Feedback.tsx';
import { Page } from '../../design/Page.tsx';
import { Tabs, useTab, type Tab } from '../../design/Tabs.tsx';
import { useTexts } from '../../texts/language.tsx';
import { AccountingFiles } from './AccountingFiles.tsx';
import { AccountingQuery } from './accountingQuery.ts';
import { Cohorts } from './Cohorts.tsx';
import { Forecast } from './Forecast.tsx';
import { reports } from './metrics.ts';
import { Movements } from './Movements.tsx';
import { Returns, useReturnRequest } from './Returns.tsx';
import { Tax, useTaxSettings } from './Tax.tsx';
import { TaxDocuments } from './TaxDocuments.tsx';
import { TaxReportQuery } from './taxQuery.ts';
import { CohortsQuery, CurrenciesQuery, ForecastQuery, MovementsQuery, ReportQuery } from './query.ts';
import { ReportView } from './ReportView.tsx';
import { useSettings } from './settings.ts';
import { Tools } from './Tools.tsx';
import { accountingTexts, returnTexts, texts } from './texts.ts';
import './reports.css';

/** The reports, or the documents behind a figure of the tax report. */
export function Screen({ part }: { part?: string }) {
  return part === 'tax' ? <TaxDocuments /> : <Reports />;
}

/** The figures of the business by period: MRR, revenue, churn, trials, cohorts, payments, forecast, tax. */
function Reports() {
  const t = useTexts(texts);
  const tabs: Tab[] = [
    { id: 'mrr', label: t.mrr },
    { id: 'revenue', label: t.netRevenue },
    { id: 'retention', label: t.retention },
    { id: 'cohorts', label: t.cohorts },
    { id: 'trials', label: t.trials },
    { id: 'payments', label: t.payments },
    { id: 'forecast', label: t.forecast },
    { id: 'changes', label: t.changes },
    { id: 'tax', label: t.tax },
    { id: 'returns', label: useTexts(returnTexts).tab },
    { id: 'accounting', label: useTexts(accountingTexts).tab },
  ];
  const tab = useTab(tabs);
  const result = useScreenQuery(CurrenciesQuery, {}, {});
  const [chosen] = useUrlValue('currency');
  const currencies = result.data?.revenueCurrencies ?? [];
  const currency = currencies.includes(chosen) ? chosen : (currencies[0] ?? '');
  const { variables } = useSettings();
  const { input } = useTaxSettings();
  const requests = {
    tax: { document: TaxReportQuery, variables: { input } },
    returns: useReturnRequest(),
    accounting: { document: AccountingQuery, variables: {} },
  };
  const isOfTax = tab in requests;
  const documents = { cohorts: CohortsQuery, forecast: ForecastQuery, changes: MovementsQuery };
  const document = tab in documents ? documents[tab as keyof typeof documents] : ReportQuery;
  return (
    <Page
      title={t.title}
      layout={tab === 'changes' ? 'list' : 'full'}
      request={
        isOfTax ? requests[tab as keyof typeof requests] : { document, variables: { ...variables, currency } }
      }
    >
      <Tabs tabs={tabs} label={t.title} />
      {isOfTax ? (
        <OfTax tab={tab} />
      ) : (
        <Loaded result={result}>
          {() =>
            currency ? (
              <>
                <Tools tab={tab} currency={currency} currencies={currencies} />
                <Content tab={tab} currency={currency} />
              </>
            ) : (
              <Empty title={t.empty}>{t.emptyText}</Empty>
            )
          }
        </Loaded>
      )}
    </Page>
  );
}

function OfTax({ tab }: { tab: string }) {
  if (tab === 'returns') return <Returns />;
  return tab === 'accounting' ? <AccountingFiles /> : <Tax />;
}

function Content({ tab, currency }: { tab: string; currency: string }) {
  const { variables } = useSettings();
  if (tab === 'cohorts') return <Cohorts currency={currency} />;
  if (tab === 'forecast') return <Forecast currency={currency} />;
  if (tab === 'changes') return <Movements currency={currency} />;
  const report = reports[tab as keyof typeof reports];
  return <ReportView key={tab} name={tab} report={report} variables={{ ...variables, currency }} />;
}
