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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;
import tutti.coll.AlgorithmTable;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.ProvidesCollectives;
import tutti.coll.Tunable;

/**
 * The metadata that a bundle declares for a module: the name and operations of {@link ProvidesCollectives}, and the job parameters by Metatype. It is
 * read from the class file and from the Metatype resources that the build generates, without running the module.
 */
public final class ModuleDeclaration {
    private static final String DESCRIPTIONS = "/OSGI-INF/metatype/";

    /**
     * A declared parameter.
     *
     * @param type  its Metatype type, for instance {@code Integer}
     * @param defaultValue its default value
     * @param min its minimum; empty if it has none
     */
    public record Parameter(String type, String defaultValue, String min) {}

    private final String name;
    private final List<String> operations;
    private final @Nullable String pid;
    private final Map<String, Parameter> parameters;
    private final List<Method> elements;

    /**
     * Creates a declaration.
     *
     * @param pid      the PID that the parameters are declared for; null for a module without parameters
     * @param elements the elements of the annotation type by which the module reads them
     */
    private ModuleDeclaration(final java.lang.classfile.Annotation provided, final @Nullable String pid, final Map<String, Parameter> parameters,
        final Method... elements) {
        this.name = text(element(provided, "value"));
        this.operations = ((AnnotationValue.OfArray) element(provided, "operations")).values().stream().map(ModuleDeclaration::text).toList();
        this.pid = pid;
        this.parameters = parameters;
        this.elements = List.of(elements);
    }

    /**
     * Reads the declaration of a module without parameters.
     *
     * @throws IllegalArgumentException if the class has no {@link ProvidesCollectives}
     */
    public static ModuleDeclaration of(final Class<? extends CollModule> module) {
        try {
            return new ModuleDeclaration(provided(module), null, Map.of());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads the declaration of a module with parameters.
     *
     * @param module     the module's class
     * @param parameters the annotation type by which the module reads its parameters
     * @throws IllegalArgumentException if the class has no {@link ProvidesCollectives}, or the bundle has no Metatype resource for the parameters
     */
    public static ModuleDeclaration of(final Class<? extends CollModule> module, final Class<? extends Annotation> parameters) {
        try {
            final java.lang.classfile.Annotation provided = provided(module);
            final Document described = described(module, parameters);
            return new ModuleDeclaration(provided, attribute(described, "Designate", "pid"), parameters(described), parameters.getDeclaredMethods());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the module's name. */
    public String name() {
        return name;
    }

    /** Returns the ids of the operations that the module may offer. */
    public List<String> operations() {
        return operations;
    }

    /** Returns the parameters by name, in the order of their declaration. */
    public Map<String, Parameter> parameters() {
        return parameters;
    }

    /**
     * Returns the mismatches between the Metatype declaration and the annotation type by which the module reads its parameters: names, types and
     * defaults. Empty if there are none.
     */
    public List<String> mismatches() {
        final List<String> mismatches = new ArrayList<>();
        if (pid != null && !pid.equals("coll." + name)) {
            mismatches.add("parameters of another module: pid=" + pid + ", module=" + name);
        }
        final Map<String, Parameter> declared = new LinkedHashMap<>(parameters);
        for (final Method m : elements) {
            final Parameter p = declared.remove(m.getName());
            final Parameter read = new Parameter(typeOf(m), String.valueOf(m.getDefaultValue()), p == null ? "" : p.min());
            if (!read.equals(p)) {
                mismatches.add("metatype differs from annotation: parameter=" + m.getName() + ", metatype=" + p + ", annotation=" + read);
            }
        }
        declared.keySet().forEach(p -> mismatches.add("not read by the module: parameter=" + p));
        return mismatches;
    }

    /**
     * Returns the mismatches of {@link #mismatches()} and those of a README. The README needs a table row for each parameter, whose cells are: {@code
     * coll.NAME.PARAMETER}, unit, default, minimum, and meaning.
     *
     * @param readme the README, in Markdown
     * @throws IOException if it cannot be read
     */
    public List<String> mismatches(final Path readme) throws IOException {
        final List<String> mismatches = new ArrayList<>(mismatches());
        final Map<String, Parameter> undocumented = new LinkedHashMap<>(parameters);
        for (final String line : Files.readAllLines(readme)) {
            if (line.startsWith("| `coll." + name + ".")) {
                final String[] cells = line.split("\\s*\\|\\s*");
                final Parameter p = undocumented.remove(cells[1].replace("`", "").substring(("coll." + name + ".").length()));
                if (p == null || cells.length < 5 || !cells[3].equals(p.defaultValue()) || !cells[4].equals(p.min())) {
                    mismatches.add("README differs from metatype: row=" + line + ", metatype=" + p);
                }
            }
        }
        undocumented.keySet().forEach(p -> mismatches.add("missing in the README: parameter=" + p));
        return mismatches;
    }

    /**
     * Returns the mismatches between the tunable parameters of a table's algorithms and the Metatype declaration: names that are not declared, and
     * candidates below the minimum. Empty if there are none.
     */
    public List<String> mismatches(final AlgorithmTable table) {
        final List<String> mismatches = new ArrayList<>();
        for (final Operation<?> o : Operation.values()) {
            for (final AlgorithmTable.Entry<?> e : table.everyIntra(o)) {
                for (final Tunable t : e.tunables()) {
                    final Parameter p = parameters.get(t.parameter());
                    if (p == null || !p.min().isEmpty() && t.candidates().stream().anyMatch(c -> c < Long.parseLong(p.min()))) {
                        mismatches.add("tunable differs from metatype: operation=" + o + ", algorithm=" + e.name() + ", tunable=" + t + ", metatype="
                            + p);
                    }
                }
            }
        }
        return mismatches;
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
            throw new IllegalArgumentException("metatype resource cannot be parsed: parameters=" + type.getName(), e);
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
