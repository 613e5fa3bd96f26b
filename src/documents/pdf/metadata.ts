/** The metadata of a PDF/A file (XMP, ISO 16684-1). */

export interface PdfMetadata {
  title: string;
  author: string;
  language: string;
  createdAt: Date;
  producer: string;
}

/** The attached e-invoice (Factur-X 1.07, section 6: a hybrid document states its profile). */
export const facturX = {
  fileName: 'factur-x.xml',
  namespace: 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#',
  version: '1.0',
  profile: 'EN 16931',
};

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeXml = (text: string) => text.replace(/[&<>"]/g, (character) => escapes[character]!);

/** Formats an instant as XMP and the file's own dates have it, in seconds. */
const formatXmpDate = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;

/** Returns the descriptions of the document, in the order of their namespaces. */
export function buildXmp({ title, author, language, createdAt, producer }: PdfMetadata): string {
  const created = formatXmpDate(createdAt);
  return `
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <dc:format>application/pdf</dc:format>
  <dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escapeXml(title)}</rdf:li></rdf:Alt></dc:title>
  <dc:creator><rdf:Seq><rdf:li>${escapeXml(author)}</rdf:li></rdf:Seq></dc:creator>
  <dc:language><rdf:Bag><rdf:li>${language}</rdf:li></rdf:Bag></dc:language>
</rdf:Description>
<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
  <xmp:CreatorTool>${producer}</xmp:CreatorTool>
  <xmp:CreateDate>${created}</xmp:CreateDate>
  <xmp:ModifyDate>${created}</xmp:ModifyDate>
</rdf:Description>
<rdf:Description rdf:about="" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">
  <pdf:Producer>${producer}</pdf:Producer>
</rdf:Description>`;
}

const properties = [
  ['DocumentFileName', 'The name of the embedded XML document'],
  ['DocumentType', 'The type of the hybrid document in capital letters'],
  ['Version', 'The version of the standard applying to the embedded XML document'],
  ['ConformanceLevel', 'The conformance level of the embedded XML document'],
] as const;

/** Returns the properties of Factur-X, and the extension schema by which PDF/A allows them. */
export function buildFacturXmp(): string {
  const described = properties.map(
    ([name, description]) => `
          <rdf:li rdf:parseType="Resource">
            <pdfaProperty:name>${name}</pdfaProperty:name>
            <pdfaProperty:valueType>Text</pdfaProperty:valueType>
            <pdfaProperty:category>external</pdfaProperty:category>
            <pdfaProperty:description>${description}</pdfaProperty:description>
          </rdf:li>`,
  );
  return `
<rdf:Description rdf:about="" xmlns:fx="${facturX.namespace}">
  <fx:DocumentType>INVOICE</fx:DocumentType>
  <fx:DocumentFileName>${facturX.fileName}</fx:DocumentFileName>
  <fx:Version>${facturX.version}</fx:Version>
  <fx:ConformanceLevel>${facturX.profile}</fx:ConformanceLevel>
</rdf:Description>
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
  <pdfaExtension:schemas>
    <rdf:Bag>
      <rdf:li rdf:parseType="Resource">
        <pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
        <pdfaSchema:namespaceURI>${facturX.namespace}</pdfaSchema:namespaceURI>
        <pdfaSchema:prefix>fx</pdfaSchema:prefix>
        <pdfaSchema:property>
          <rdf:Seq>${described.join('')}
          </rdf:Seq>
        </pdfaSchema:property>
      </rdf:li>
    </rdf:Bag>
  </pdfaExtension:schemas>
</rdf:Description>`;
}
