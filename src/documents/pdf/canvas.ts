/** Draws on the pages of a tagged PDF/A file. Positions are measured from the side where lines of the language begin. */
import PdfDocument from 'pdfkit';
import type { DocumentFont } from './fonts.ts';
import { buildFacturXmp, buildXmp, facturX, type PdfMetadata } from './metadata.ts';
import type { TextLine } from './text.ts';

/** An element of the logical structure, for screen readers. It exists from the first content on. */
export interface Tag {
  name: string;
  parent?: Tag;
  alt?: string;
  scope?: 'Row' | 'Column';
  element?: PDFKit.PDFStructureElement;
}

/** Content that repeats or only decorates, which screen readers leave out. */
export const artifact = 'artifact';

export interface CanvasOptions {
  metadata: Omit<PdfMetadata, 'producer'>;
  direction: 'ltr' | 'rtl';
  /** Width and height in points. */
  size: [width: number, height: number];
  /** Hexadecimal: identifies the file. */
  id: string;
}

export interface TextStyle {
  size: number;
  color: string;
}

/** The width of the strokes around letters of a font without a semibold weight, at a size of one point. */
const thickening = 0.028;

/** The program that pdfkit names in the file; without a version, so that an upgrade does not change it. */
const producer = 'Perennial';

/** A pdfkit file with metadata of our own: pdfkit writes texts into the XMP unescaped. */
class PdfFile extends PdfDocument {
  xmp = '';

  _addInfo(): void {
    this.appendXML(this.xmp);
  }

  /** What begins and ends the content of the next texts, within the graphics state in which pdfkit draws a text. */
  beforeText?: () => void;
  afterText?: () => void;

  override addContent(content: string): this {
    const { beforeText, afterText } = this;
    if (content === 'BT' && beforeText) {
      this.beforeText = undefined;
      beforeText();
    }
    super.addContent(content);
    if (content === 'ET' && afterText) {
      this.afterText = undefined;
      afterText();
    }
    return this;
  }

  /** Names the file by its content instead of by its metadata. */
  setId(id: string): void {
    Object.assign(this, { _id: Buffer.from(id, 'hex') });
  }
}

export class Canvas {
  private readonly file: PdfFile;
  private readonly root: PDFKit.PDFStructureElement;
  private readonly fontNames = new Map<DocumentFont, string>();
  private readonly chunks: Buffer[] = [];

  constructor(private readonly options: CanvasOptions) {
    const { metadata, size } = options;
    const { title, author, language, createdAt } = metadata;
    this.file = new PdfFile({
      autoFirstPage: false,
      subset: 'PDF/A-3b',
      pdfVersion: '1.7',
      tagged: true,
      displayTitle: true,
      lang: language,
      size,
      margin: 0,
      font: null as unknown as string,
      info: {
        Title: title,
        Author: author,
        Creator: producer,
        Producer: producer,
        CreationDate: createdAt,
        ModDate: createdAt,
      },
    });
    this.file.on('data', (chunk: Buffer) => this.chunks.push(chunk));
    this.file.xmp = buildXmp({ ...metadata, producer });
    this.file.setId(options.id);
    this.root = this.file.struct('Document');
    this.file.addStructure(this.root);
  }

  addPage(): void {
    this.file.addPage();
  }

  /** Draws a line of text. `x` is where it begins, or with `end` the right end of its digits; `y` is its base line. */
  drawLine(tag: Tag | typeof artifact, line: TextLine, x: number, y: number, style: TextStyle): void {
    this.mark(tag, () => {
      const actual = line.actualText;
      let left = x;
      for (const [index, { font, text, features, width }] of line.runs.entries()) {
        // Readers that take the place of this text from its ends need both in the coordinates of the text.
        if (actual !== undefined && index === 0)
          this.file.beforeText = () => this.file.markContent('Span', { actual });
        if (actual !== undefined && index === line.runs.length - 1)
          this.file.afterText = () => this.file.endMarkedContent();
        this.file.font(this.registerFont(font)).fontSize(style.size).fillColor(style.color);
        if (font.isThickened) this.file.strokeColor(style.color).lineWidth(style.size * thickening);
        this.file.text(text, left, y, {
          lineBreak: false,
          baseline: 'alphabetic',
          features,
          ...(font.isThickened && { fill: true, stroke: true }),
        } as PDFKit.Mixins.TextOptions);
        left += width * style.size;
      }
    });
  }

  /** Draws a horizontal line. */
  drawRule(x: number, y: number, width: number, color: string): void {
    this.mark(artifact, () => {
      this.file
        .lineWidth(0.6)
        .moveTo(x, y)
        .lineTo(x + width, y)
        .stroke(color);
    });
  }

  /** Draws the lines of an SVG path, which decorate. */
  drawStrokes(path: string, width: number): void {
    this.mark(artifact, () => {
      this.file.lineWidth(width).path(path).stroke('#000000');
    });
  }

  /** Draws an image into a rectangle, at the side where lines begin. */
  drawImage(tag: Tag, image: Buffer, x: number, y: number, fit: [number, number]): void {
    const align = this.options.direction === 'rtl' ? 'right' : undefined;
    this.mark(tag, () => this.file.image(image, x, y, { fit, align }));
  }

  /** Draws an SVG path of `units` in a square. */
  drawPath(tag: Tag, path: string, units: number, x: number, y: number, size: number): void {
    this.mark(tag, () => {
      this.file
        .save()
        .translate(x, y)
        .scale(size / units)
        .path(path)
        .fill('#000000')
        .restore();
    });
  }

  /** Attaches the e-invoice and states its profile. */
  attachInvoice(xml: string, description: string): void {
    const { createdAt } = this.options.metadata;
    this.file.xmp += buildFacturXmp();
    this.file.file(Buffer.from(xml, 'utf8'), {
      name: facturX.fileName,
      type: 'text/xml',
      description,
      creationDate: createdAt,
      modifiedDate: createdAt,
      relationship: 'Alternative',
    } as PDFKit.Mixins.PDFAttachmentOptions);
  }

  /** Ends the file and returns its bytes. */
  async finish(): Promise<Buffer> {
    this.root.end();
    const ended = new Promise<void>((resolve, reject) => {
      this.file.once('end', resolve);
      this.file.once('error', reject);
    });
    this.file.end();
    await ended;
    return Buffer.concat(this.chunks);
  }

  /** Returns the name of a font in the file. */
  private registerFont(font: DocumentFont): string {
    const known = this.fontNames.get(font);
    if (known !== undefined) return known;
    const name = `font${this.fontNames.size}`;
    this.file.registerFont(name, font.font as unknown as string);
    this.fontNames.set(font, name);
    return name;
  }

  private mark(tag: Tag | typeof artifact, draw: () => void): void {
    if (tag === artifact) this.file.markContent('Artifact', { type: 'Layout' });
    else {
      const element = this.realize(tag);
      element.add(this.file.markStructureContent(tag.name));
    }
    draw();
    this.file.endMarkedContent();
  }

  private realize(tag: Tag): PDFKit.PDFStructureElement {
    if (tag.element) return tag.element;
    const { name, alt, scope } = tag;
    const element = this.file.struct(name, { alt, scope } as PDFKit.Mixins.StructureElementOptions);
    const parent = tag.parent ? this.realize(tag.parent) : this.root;
    parent.add(element);
    tag.element = element;
    return element;
  }
}
