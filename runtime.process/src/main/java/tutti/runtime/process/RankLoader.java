package tutti.runtime.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.jar.Attributes;
import java.util.jar.Attributes.Name;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.owner.RankClasses;

/**
 * The class loader of one rank: loads the program, so that the rank has its own statics. Parallel capable.
 *
 * <p>A class is loaded from the first of these that has its package:
 * <ol>
 * <li>the JDK;
 * <li>a {@link RankClasses} service, by its loader; of its classes per rank, this loader defines a copy. A class of the program in such a
 *     package is never loaded;
 * <li>the {@link ProgramClassPath}.
 * </ol>
 *
 * <p><b>Threads.</b> Threads that load classes of different names do not wait for each other. The process is written once, before the rank's first
 * thread starts, and is volatile for threads that belong to no rank.
 */
public class RankLoader extends ClassLoader {
    /** Loaders of ranks that were started, as long as something refers to them; guarded by itself. */
    private static final Set<RankLoader> STARTED = Collections.newSetFromMap(new WeakHashMap<>());
    /** Classes by which a program changes what it likes. */
    private static final Set<String> UNSAFE = Set.of("sun.misc.Unsafe", "jdk.internal.misc.Unsafe");
    private static final AtomicInteger UNSAFE_USES = new AtomicInteger();
    private static final String BRIDGE = RankSystem.class.getName();
    private static final String AGENTS = "tutti.runtime.process.ProgramAgents";
    private static final String POOL = RankForkJoinPool.class.getName();

    static {
        registerAsParallelCapable();
    }

    private final ProgramClassPath classPath;
    private final SharedClasses shared;
    private final ConcurrentHashMap<ClassPathEntry, ProtectionDomain> domains = new ConcurrentHashMap<>();
    private volatile @Nullable RankProcess process;

    /**
     * Creates the loader of one rank.
     *
     * @param classPath the class path of the program, open as long as the rank runs
     * @param shared    the classes that bundles share with programs
     */
    public RankLoader(final ProgramClassPath classPath, final SharedClasses shared) {
        super(ClassLoader.getPlatformClassLoader());
        this.classPath = classPath;
        this.shared = shared;
    }

    /** Returns the class path of the program. */
    ProgramClassPath classPath() {
        return classPath;
    }

    /** Returns the process that runs the program, or null. */
    public @Nullable RankProcess process() {
        return process;
    }

    /** Sets which classes have assertions enabled, by the switches of the {@code java} command. */
    void setAssertions(final List<String> switches) {
        for (final String s : switches) {
            final boolean isEnabled = s.startsWith("-ea");
            final String at = s.substring(Math.min(4, s.length()));
            if (at.isEmpty()) {
                setDefaultAssertionStatus(isEnabled);
            } else if (at.endsWith("...")) {
                setPackageAssertionStatus(at.equals("...") ? null : at.substring(0, at.length() - 3), isEnabled);
            } else {
                setClassAssertionStatus(at, isEnabled);
            }
        }
    }

    void attach(final RankProcess owner) {
        process = owner;
        synchronized (STARTED) {
            STARTED.add(this);
        }
        if (OneRankJvm.isOf(owner.program().job())) {
            SystemLoader.install(this);
        }
    }

    /** Returns the loaders of ranks that were started, as long as something refers to them; the set refers to them weakly. */
    public static Set<RankLoader> reachable() {
        final Set<RankLoader> reachable = Collections.newSetFromMap(new WeakHashMap<>());
        synchronized (STARTED) {
            reachable.addAll(STARTED);
        }
        return reachable;
    }

    /** Returns how often programs have asked for a class by which they change what they like, objects of the JDK for example. */
    public static int unsafeUses() {
        return UNSAFE_USES.get();
    }

    /** Returns whether a loader is that of a rank, or descends from it. */
    public static boolean isOfRank(final @Nullable ClassLoader loader) {
        return CurrentRank.loaderOf(loader) != null;
    }

    /** Returns whether a thread belongs to a rank, by its group or its context class loader. */
    public static boolean isOfRank(final Thread thread) {
        return CurrentRank.of(thread) != null || isOfRank(thread.getContextClassLoader());
    }

    @Override
    protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            final Class<?> known = findLoadedClass(name);
            final Class<?> found = known != null ? known : load(name);
            if (resolve) {
                resolveClass(found);
            }
            return found;
        }
    }

    private Class<?> load(final String name) throws ClassNotFoundException {
        final String packageName = packageOf(name);
        if (JdkPackages.contains(packageName)) {
            if (UNSAFE.contains(name)) {
                UNSAFE_USES.incrementAndGet();
            }
            return SystemLoader.application().loadClass(name);
        }
        if (BRIDGE.equals(name)) {
            return RankSystem.class;
        }
        if (POOL.equals(name)) {
            return RankForkJoinPool.class;
        }
        if (AGENTS.equals(name)) {
            return ProgramAgents.class;
        }
        final ClassLoader owner = shared.owner(packageName);
        if (owner == null) {
            return findClass(name);
        }
        return shared.isPerRank(name) ? define(name, shared.bytes(name, owner), null) : owner.loadClass(name);
    }

    @Override
    protected Class<?> findClass(final String name) throws ClassNotFoundException {
        final ProgramClassPath.ProgramClass found = read(name);
        definePackageOf(name, found.entry());
        return define(name, found.bytes(), domains.computeIfAbsent(found.entry(), this::domain));
    }

    private ProgramClassPath.ProgramClass read(final String name) throws ClassNotFoundException {
        try {
            final ProgramClassPath.ProgramClass found = classPath.findClass(name, RankSystem.REDIRECTIONS);
            if (found == null) {
                throw new ClassNotFoundException(name);
            }
            return found;
        } catch (final UncheckedIOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private Class<?> define(final String name, final byte[] bytes, final @Nullable ProtectionDomain domain) {
        return defineClass(name, bytes, 0, bytes.length, domain);
    }

    private ProtectionDomain domain(final ClassPathEntry entry) {
        return new ProtectionDomain(new CodeSource(entry.location(), (Certificate[]) null), null, this, null);
    }

    private void definePackageOf(final String className, final ClassPathEntry entry) {
        final String name = packageOf(className);
        if (name.isEmpty() || getDefinedPackage(name) != null) {
            return;
        }
        final Manifest manifest = entry.manifest();
        final Attributes main = manifest == null ? new Attributes() : manifest.getMainAttributes();
        final Attributes own = manifest == null ? null : manifest.getAttributes(name.replace('.', '/').concat("/"));
        try {
            definePackage(name, value(own, main, Name.SPECIFICATION_TITLE), value(own, main, Name.SPECIFICATION_VERSION),
                value(own, main, Name.SPECIFICATION_VENDOR), value(own, main, Name.IMPLEMENTATION_TITLE),
                value(own, main, Name.IMPLEMENTATION_VERSION), value(own, main, Name.IMPLEMENTATION_VENDOR),
                "true".equalsIgnoreCase(value(own, main, Name.SEALED)) ? entry.location() : null);
        } catch (final IllegalArgumentException e) {
            // another thread defined the package at the same time
            assert getDefinedPackage(name) != null : name;
        }
    }

    private static @Nullable String value(final @Nullable Attributes own, final Attributes main, final Name key) {
        final String value = own == null ? null : own.getValue(key);
        return value != null ? value : main.getValue(key);
    }

    private static String packageOf(final String className) {
        final int dot = className.lastIndexOf('.');
        return dot < 0 ? "" : className.substring(0, dot);
    }

    @Override
    protected @Nullable URL findResource(final String name) {
        final var urls = classPath.urls(name);
        return urls.isEmpty() ? null : urls.getFirst();
    }

    @Override
    protected Enumeration<URL> findResources(final String name) {
        return Collections.enumeration(classPath.urls(name));
    }

    /** Finds the resource as {@link #getResource} does, but without opening the jar again. */
    @Override
    public @Nullable InputStream getResourceAsStream(final String name) {
        try {
            final InputStream jdk = getParent().getResourceAsStream(name);
            return jdk != null ? jdk : classPath.open(name);
        } catch (final IOException e) {
            return null;
        }
    }
}
