package tutti.coll.tck;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;
import tutti.coll.CollModule;
import tutti.coll.ProvidesCollectives;

/**
 * What a module's bundle says of it to those who do not run it: the name and the operations of {@link ProvidesCollectives}, and the parameters that
 * jobs may set, by Metatype. Read from the class file and the descriptions that the build put beside it.
 */
public final class ModuleDeclaration {
    private static final String DESCRIPTIONS = "/OSGI-INF/metatype/";

    /**
     * A parameter.
     *
     * @param type  of Metatype, {@code Integer} for one
     * @param usual its default
     * @param least its least value; empty when it has none
     */
    public record Parameter(String type, String usual, String least) { }

    private final String name;
    private final List<String> operations;
    private final String pid;
    private final Map<String, Parameter> parameters;
    private final List<Method> elements;

    private ModuleDeclaration(final Class<? extends CollModule> module, final Class<? extends Annotation> type) throws IOException {
        final java.lang.classfile.Annotation provided = provided(module);
        this.name = text(element(provided, "value"));
        this.operations = ((AnnotationValue.OfArray) element(provided, "operations")).values().stream().map(ModuleDeclaration::text).toList();
        final Document described = type == null ? null : described(module, type);
        this.pid = type == null ? null : attribute(described, "Designate", "pid");
        this.parameters = type == null ? Map.of() : parameters(described);
        this.elements = type == null ? List.of() : Arrays.asList(type.getDeclaredMethods());
    }

    /** Of a module without parameters. */
    public static ModuleDeclaration of(final Class<? extends CollModule> module) {
        return of(module, null);
    }

    /**
     * Of a module with parameters.
     *
     * @param parameters the elements and defaults that the module reads its parameters with
     * @throws IllegalArgumentException when the bundle declares no such module or parameters
     */
    public static ModuleDeclaration of(final Class<? extends CollModule> module, final Class<? extends Annotation> parameters) {
        try {
            return new ModuleDeclaration(module, parameters);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The module's name. */
    public String name() {
        return name;
    }

    /** The operations that it may offer, as declared. */
    public List<String> operations() {
        return operations;
    }

    /** Its parameters by name, in the order of their description. */
    public Map<String, Parameter> parameters() {
        return parameters;
    }

    /** Where what is described differs from the elements and defaults that the module reads; nothing when all is well. */
    public List<String> flaws() {
        final List<String> flaws = new ArrayList<>();
        if (pid != null && !pid.equals("coll." + name)) {
            flaws.add("parameters of another module: pid=" + pid + ", module=" + name);
        }
        final Map<String, Parameter> described = new LinkedHashMap<>(parameters);
        for (final Method m : elements) {
            final Parameter p = described.remove(m.getName());
            final Parameter read = new Parameter(typeOf(m), String.valueOf(m.getDefaultValue()), p == null ? "" : p.least());
            if (!read.equals(p)) {
                flaws.add("described otherwise than read: parameter=" + m.getName() + ", described=" + p + ", read=" + read);
            }
        }
        described.keySet().forEach(p -> flaws.add("described and not read: parameter=" + p));
        return flaws;
    }

    /**
     * As {@link #flaws()}, and where a page for users differs. It has a row for each parameter: name, what it counts, default, least value, meaning.
     *
     * @param page in Markdown
     */
    public List<String> flaws(final Path page) throws IOException {
        final List<String> flaws = new ArrayList<>(flaws());
        final Map<String, Parameter> untold = new LinkedHashMap<>(parameters);
        for (final String line : Files.readAllLines(page)) {
            if (line.startsWith("| `coll." + name + ".")) {
                final String[] cells = line.split("\\s*\\|\\s*");
                final Parameter p = untold.remove(cells[1].replace("`", "").substring(("coll." + name + ".").length()));
                if (p == null || cells.length < 5 || !cells[3].equals(p.usual()) || !cells[4].equals(p.least())) {
                    flaws.add("told otherwise than described: row=" + line + ", described=" + p);
                }
            }
        }
        untold.keySet().forEach(p -> flaws.add("described and not told: parameter=" + p));
        return flaws;
    }

    private static String typeOf(final Method element) {
        return switch (element.getReturnType().getName()) {
            case "int" -> "Integer";
            case "long" -> "Long";
            case "double" -> "Double";
            case "boolean" -> "Boolean";
            default -> element.getReturnType().getSimpleName();
        };
    }

    private static java.lang.classfile.Annotation provided(final Class<?> module) throws IOException {
        final String file = module.getName().substring(module.getPackageName().length() + 1) + ".class";
        try (InputStream in = found(module, file)) {
            return ClassFile.of().parse(in.readAllBytes()).findAttribute(Attributes.runtimeInvisibleAnnotations()).stream()
                .flatMap(a -> a.annotations().stream())
                .filter(a -> a.classSymbol().descriptorString().equals(ProvidesCollectives.class.descriptorString())).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("not marked with ProvidesCollectives: module=" + module.getName()));
        }
    }

    private static AnnotationValue element(final java.lang.classfile.Annotation annotation, final String name) {
        return annotation.elements().stream().filter(e -> e.name().equalsString(name)).map(AnnotationElement::value).findFirst().orElseThrow();
    }

    private static String text(final AnnotationValue value) {
        return ((AnnotationValue.OfString) value).stringValue();
    }

    private static Document described(final Class<?> module, final Class<?> type) throws IOException {
        try (InputStream in = found(module, DESCRIPTIONS + type.getName() + ".xml")) {
            return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in);
        } catch (final ParserConfigurationException | SAXException e) {
            throw new IllegalArgumentException("description cannot be read: parameters=" + type.getName(), e);
        }
    }

    private static InputStream found(final Class<?> module, final String resource) {
        final InputStream in = module.getResourceAsStream(resource);
        if (in == null) {
            throw new IllegalArgumentException("not in the bundle: resource=" + resource + ", module=" + module.getName());
        }
        return in;
    }

    private static String attribute(final Document document, final String element, final String name) {
        final Element found = (Element) document.getElementsByTagName(element).item(0);
        return found == null ? "" : found.getAttribute(name);
    }

    private static Map<String, Parameter> parameters(final Document document) {
        final Map<String, Parameter> all = new LinkedHashMap<>();
        for (int i = 0; i < document.getElementsByTagName("AD").getLength(); i++) {
            final Element p = (Element) document.getElementsByTagName("AD").item(i);
            all.put(p.getAttribute("id"), new Parameter(p.getAttribute("type"), p.getAttribute("default"), p.getAttribute("min")));
        }
        return all;
    }
}
