/** Countries of the demo's customers. */

/** A country as the demo knows it. */
export interface Place {
  country: string;
  /** How often its customers appear, among all the others. */
  weight: number;
  currency: 'usd' | 'eur' | 'gbp';
  locale: string;
  firstNames: string[];
  lastNames: string[];
  /** City, postal code and region of addresses. */
  cities: [city: string, postalCode: string, region?: string][];
  streets: string[];
  /** The legal forms of companies. */
  forms: string[];
  /** A VAT id of a valid form. */
  vatId?: string;
}

const words = (text: string) => text.split(' ');
const lines = (text: string) => text.split(', ');

export const places: Place[] = [
  {
    country: 'US',
    weight: 26,
    currency: 'usd',
    locale: 'en-US',
    firstNames: words('Olivia Noah Ava Liam Maya Ethan Zoe Marcus Harper Caleb Naomi Julian'),
    lastNames: words('Carter Nguyen Brooks Ramirez Foster Bennett Coleman Diaz Hughes Patel Reed Sullivan'),
    cities: [
      ['Portland', '97205', 'OR'],
      ['Austin', '78701', 'TX'],
      ['Brooklyn', '11201', 'NY'],
      ['Denver', '80202', 'CO'],
      ['Madison', '53703', 'WI'],
    ],
    streets: lines('Alder Street, Market Street, Juniper Avenue, 3rd Avenue, Harbor Road'),
    forms: ['Inc.', 'LLC', 'Co.'],
  },
  {
    country: 'GB',
    weight: 13,
    currency: 'gbp',
    locale: 'en-GB',
    firstNames: words('Amelia Oliver Isla Harry Freya Arthur Imogen Callum Priya Rhys Eleanor Jamal'),
    lastNames: words('Clarke Evans Thornton Walsh Okafor Hughes Pemberton Shaw Begum Fraser Doyle Ellis'),
    cities: [
      ['Bristol', 'BS1 4DJ'],
      ['Leeds', 'LS1 5AS'],
      ['Edinburgh', 'EH1 1YZ'],
      ['London', 'E2 8HD'],
    ],
    streets: lines('Queen Street, Mill Lane, Canal Road, Victoria Terrace'),
    forms: ['Ltd', 'LLP'],
  },
  {
    country: 'DE',
    weight: 16,
    currency: 'eur',
    locale: 'de-DE',
    firstNames: words('Anna Lukas Mia Felix Leonie Jonas Klara Emre Sophie Maximilian Jana Paul'),
    lastNames: words('Becker Hoffmann Schäfer Yıldız Krüger Vogel Braun Neumann Lorenz Köhler Winter Busch'),
    cities: [
      ['Hamburg', '20095'],
      ['Leipzig', '04109'],
      ['München', '80331'],
      ['Köln', '50667'],
    ],
    streets: lines('Lindenstraße, Am Markt, Schillerstraße, Hafenweg'),
    forms: ['GmbH', 'UG (haftungsbeschränkt)', 'AG'],
    vatId: 'DE136695976',
  },
  {
    country: 'FR',
    weight: 9,
    currency: 'eur',
    locale: 'fr-FR',
    firstNames: words('Camille Hugo Chloé Lucas Inès Théo Manon Yanis Élise Antoine Salomé Rayan'),
    lastNames: words('Moreau Girard Lefèvre Benali Fontaine Roussel Chevalier Mercier Garnier Faure'),
    cities: [
      ['Lyon', '69002'],
      ['Nantes', '44000'],
      ['Paris', '75011'],
    ],
    streets: lines('rue de la République, avenue Jean Jaurès, rue des Lilas'),
    forms: ['SARL', 'SAS'],
    vatId: 'FR00300076965',
  },
  {
    country: 'NL',
    weight: 6,
    currency: 'eur',
    locale: 'nl-NL',
    firstNames: words('Sanne Daan Fenna Bram Lotte Milan Noor Thijs Yara Sem'),
    lastNames: lines('de Vries, Bakker, van Dijk, Visser, Mulder, Bos, El Amrani, Smit'),
    cities: [
      ['Utrecht', '3511 AB'],
      ['Rotterdam', '3011 WJ'],
    ],
    streets: lines('Oudegracht, Kerkstraat, Havenkade'),
    forms: ['B.V.'],
    vatId: 'NL010000446B01',
  },
  {
    country: 'ES',
    weight: 5,
    currency: 'eur',
    locale: 'es-ES',
    firstNames: words('Lucía Mateo Carmen Álvaro Irene Pablo Nerea Hugo Martina Iker'),
    lastNames: words('Ortega Navarro Castillo Romero Vidal Ibáñez Molina Serrano Prieto'),
    cities: [
      ['Valencia', '46002'],
      ['Bilbao', '48009'],
    ],
    streets: lines('Calle Mayor, Gran Vía, Calle del Mar'),
    forms: ['S.L.'],
    vatId: 'ESB58378431',
  },
  {
    country: 'IT',
    weight: 4,
    currency: 'eur',
    locale: 'it-IT',
    firstNames: words('Giulia Lorenzo Chiara Matteo Elena Davide Marta Andrea'),
    lastNames: words('Conti Moretti Greco Rinaldi Ferrara Colombo Marchetti Leone'),
    cities: [
      ['Torino', '10121'],
      ['Bologna', '40121'],
    ],
    streets: lines('Via Garibaldi, Via Roma, Corso Italia'),
    forms: ['S.r.l.', 'S.p.A.'],
    vatId: 'IT00743110157',
  },
  {
    country: 'SE',
    weight: 3,
    currency: 'eur',
    locale: 'sv-SE',
    firstNames: words('Elsa Axel Alva Nils Ebba Viktor Saga Oskar'),
    lastNames: words('Lindqvist Sandberg Åkesson Nyström Holm Ekström'),
    cities: [['Göteborg', '411 06']],
    streets: lines('Storgatan, Hamngatan'),
    forms: ['AB'],
    vatId: 'SE123456789701',
  },
  {
    country: 'PL',
    weight: 3,
    currency: 'eur',
    locale: 'pl-PL',
    firstNames: words('Zuzanna Jakub Maja Szymon Oliwia Kacper Hanna Michał'),
    lastNames: words('Wiśniewska Kowalczyk Zieliński Woźniak Mazur Krawczyk'),
    cities: [['Kraków', '31-042']],
    streets: lines('ul. Długa, ul. Floriańska'),
    forms: ['sp. z o.o.'],
    vatId: 'PL8567346215',
  },
  {
    country: 'CA',
    weight: 5,
    currency: 'usd',
    locale: 'en-CA',
    firstNames: words('Emma Nathan Sofia Owen Léa Arjun Grace Wyatt'),
    lastNames: words('Tremblay MacDonald Singh Gagnon Wong Campbell Roy'),
    cities: [
      ['Toronto', 'M5V 2T6', 'ON'],
      ['Montréal', 'H2Y 1C6', 'QC'],
    ],
    streets: lines('King Street West, rue Saint-Paul'),
    forms: ['Inc.', 'Ltd.'],
  },
  {
    country: 'AU',
    weight: 4,
    currency: 'usd',
    locale: 'en-AU',
    firstNames: words('Matilda Jack Ruby Cooper Evie Lachlan'),
    lastNames: words('Gallagher Tran Mitchell Kelly Hartley Dawson'),
    cities: [['Melbourne', '3000', 'VIC']],
    streets: lines('Collins Street, Station Road'),
    forms: ['Pty Ltd'],
  },
  {
    country: 'JP',
    weight: 3,
    currency: 'usd',
    locale: 'ja-JP',
    firstNames: words('Yui Haruto Sakura Ren Aoi Sota'),
    lastNames: words('Tanaka Kobayashi Yamamoto Inoue Matsuda Ogawa'),
    cities: [['Kyoto', '604-8005']],
    streets: ['Kawaramachi-dōri'],
    forms: ['K.K.'],
  },
  {
    country: 'BR',
    weight: 3,
    currency: 'usd',
    locale: 'pt-BR',
    firstNames: words('Beatriz Rafael Larissa Thiago Júlia Caio'),
    lastNames: words('Almeida Carvalho Teixeira Moura Barros Nogueira'),
    cities: [['Florianópolis', '88010-400', 'SC']],
    streets: ['Rua Felipe Schmidt'],
    forms: ['Ltda.'],
  },
  {
    country: 'AF',
    weight: 2,
    currency: 'usd',
    locale: 'fa-AF',
    firstNames: ['فرشته', 'احمد', 'مریم', 'یوسف', 'زهرا', 'نوید'],
    lastNames: ['رحیمی', 'نوری', 'احمدی', 'کریمی', 'حسینی'],
    cities: [['کابل', '1001']],
    streets: ['شهر نو'],
    forms: ['Co.'],
  },
];

/** The parts of company names such as `Brightwater Studio GmbH`: a name, and below a trade. */
export const companyNames = words(
  'Brightwater Copperfield Nordlicht Halcyon Maplewood Quayside Silverline Bluebird Lanterna Fieldstone Meridian Tamarind Kestrel Windrose Juniper Northgate Palisade Sandpiper Alderbrook Cobalt Marigold Redwood Tidewell Vantage',
);
export const companyTrades = words(
  'Studio Labs Logistics Design Foods Robotics Media Health Analytics Energy Books Travel Works Partners',
);
