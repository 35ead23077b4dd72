package tutti.runtime.process.snapshot;

import java.lang.reflect.Field;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A collection in which the JDK keeps what programs register: JDBC drivers, shutdown hooks, files to delete, objects that RMI exports and native
 * libraries.
 *
 * @param kind   what is registered there
 * @param field  the field of the collection
 * @param before the elements at the snapshot, by identity
 */
record Registry(Kind kind, Field field, Set<Object> before) implements Examined {
    private static final JdkField DRIVER = new JdkField("java.sql.DriverInfo", "driver");
    private static final JdkFiles OF_JDK = JdkFiles.now();
    /** The text of the id by which RMI collects garbage of other JVMs: it exports that object itself, with the first one. */
    private static final String COLLECTOR = "[0:0:0, 2]";
    private static final List<Kind> KINDS = List.of(
        new Kind("JDBC driver", new JdkField("java.sql.DriverManager", "registeredDrivers"), info -> Origin.text(DRIVER.get(info)), element -> false,
            false),
        new Kind("shutdown hook", new JdkField("java.lang.ApplicationShutdownHooks", "hooks"), hook -> ((Thread) hook).getName(),
            hook -> !Origin.isProgram((Thread) hook), false),
        new Kind("file to delete on exit", new JdkField("java.io.DeleteOnExitHook", "files"), Origin::text, element -> false, false),
        // a registry stays, and other objects may go with the rank
        new Kind("object exported by RMI", new JdkField("sun.rmi.transport.ObjectTable", "objTable"), Object::toString,
            element -> element.toString().equals(COLLECTOR), true),
        // the JDK loads its own when it needs them
        new Kind("native library", new JdkField("jdk.internal.loader.NativeLibraries", "loadedLibraryNames"), Origin::text,
            library -> OF_JDK.contains(Origin.text(library)) || !Origin.text(library).startsWith("/"), false));

    /**
     * Kind of a collection of the JDK, by the elements that it registers.
     *
     * @param name   what an element is
     * @param field  the static field of the collection, or of a map whose keys are the elements
     * @param text   returns a text for an element
     * @param ofJdk  tells an element that the JDK itself registers
     * @param mayGo  whether the JDK removes elements by itself
     */
    private record Kind(String name, JdkField field, Function<Object, String> text, Predicate<Object> ofJdk, boolean mayGo) {}

    /** Returns the collections to examine, each with its present elements once it is asked for. */
    static Stream<Supplier<Examined>> all() {
        return KINDS.stream().map(kind -> () -> of(kind));
    }

    private static Examined of(final Kind kind) {
        final Field field = kind.field().open();
        return field == null ? NOTHING : new Registry(kind, field, elements(field));
    }

    private static Set<Object> elements(final Field field) {
        final Set<Object> elements = Collections.newSetFromMap(new IdentityHashMap<>());
        // the locks under which the JDK changes those that are not concurrent
        synchronized (field.getDeclaringClass()) {
            final Object value = JdkField.read(field, null);
            final Collection<?> collection =
                value instanceof final Map<?, ?> map ? map.keySet() : value instanceof final Collection<?> c ? c : Set.of();
            elements.addAll(collection);
        }
        return elements;
    }

    @Override
    public List<String> differences() {
        return elements(field).stream().filter(element -> !before.contains(element) && !kind.ofJdk().test(element))
            .map(element -> kind.name() + " is new: " + kind.text().apply(element)).toList();
    }

    @Override
    public boolean mayGo() {
        return kind.mayGo();
    }
}
