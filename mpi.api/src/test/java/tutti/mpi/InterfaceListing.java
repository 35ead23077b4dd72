package tutti.mpi;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The interface of Open MPI's Java bindings, read from a listing of signatures. */
final class InterfaceListing {
    private static final Pattern TYPE = Pattern.compile(
        "public (?<modifiers>(?:(?:final|abstract) )*)(?:class|interface) (?<name>[\\w.$]+)(?: extends (?<parent>[\\w.$]+))?"
            + "(?: implements (?<interfaces>\\S+))? \\{");
    private static final Pattern METHOD = Pattern.compile("  public (?<modifiers>(?:(?:static|final|abstract|native|synchronized) )*)"
        + "(?:<T extends (?<bound>[\\w.$]+)> )?(?:(?<result>[\\w.$\\[\\]]+) )?(?<name>[\\w.$]+)\\((?<parameters>[^)]*)\\)"
        + "(?: throws (?<thrown>[\\w.$]+))?;");
    private static final Pattern FIELD = Pattern.compile("  public static final (?<type>[\\w.$\\[\\]]+) (?<name>\\w+);");

    /**
     * A class or interface.
     *
     * @param name binary name
     * @param parents superclass and interfaces
     * @param isAbstract whether it cannot be instantiated
     * @param methods methods and constructors
     * @param fields constants
     */
    record Type(String name, List<String> parents, boolean isAbstract, List<Method> methods, List<Field> fields) {}

    /**
     * A method or constructor.
     *
     * @param name name; the class name for a constructor
     * @param result result type; null for a constructor
     * @param parameters parameter types
     * @param thrown exception type; null for none
     */
    record Method(boolean isStatic, String result, String name, List<String> parameters, String thrown) {
        boolean isConstructor() {
            return result == null;
        }
    }

    /** A constant. */
    record Field(String type, String name) {}

    private InterfaceListing() {}

    /** Reads the listing. */
    static List<Type> read() throws IOException {
        final List<Type> types = new ArrayList<>();
        Type current = null;
        for (final String line : lines()) {
            final Matcher type = TYPE.matcher(line);
            if (type.matches()) {
                current = new Type(type.group("name"), parents(type), type.group("modifiers").contains("abstract") || line.contains(" interface "),
                    new ArrayList<>(), new ArrayList<>());
                types.add(current);
            } else if (line.startsWith("class ")) {
                // not part of the interface
                current = null;
            } else if (line.startsWith("  ")) {
                addMember(current, line);
            } else if (!line.isEmpty() && !line.startsWith("#") && !line.equals("}")) {
                throw new IllegalArgumentException("not understood: " + line);
            }
        }
        return types;
    }

    private static List<String> parents(final Matcher type) {
        final List<String> parents = new ArrayList<>();
        if (type.group("parent") != null) {
            parents.add(type.group("parent"));
        }
        if (type.group("interfaces") != null) {
            parents.addAll(Arrays.asList(type.group("interfaces").split(",")));
        }
        return parents;
    }

    private static void addMember(final Type type, final String line) {
        final Matcher field = FIELD.matcher(line);
        final Matcher method = METHOD.matcher(line);
        if (field.matches()) {
            type.fields.add(new Field(field.group("type"), field.group("name")));
        } else if (method.matches()) {
            final String parameters = method.group("parameters");
            final String result = method.group("bound") != null ? method.group("bound") : method.group("result");
            type.methods.add(new Method(method.group("modifiers").contains("static"), result, method.group("name"),
                parameters.isEmpty() ? List.of() : List.of(parameters.split(", ")), method.group("thrown")));
        } else {
            throw new IllegalArgumentException("not understood: " + line);
        }
    }

    private static List<String> lines() throws IOException {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
            InterfaceListing.class.getResourceAsStream("interface.txt"), StandardCharsets.UTF_8))) {
            return in.readAllLines();
        }
    }
}
