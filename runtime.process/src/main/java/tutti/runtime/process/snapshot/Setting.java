package tutti.runtime.process.snapshot;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.TimeZone;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A value that holds for the whole JVM and that a program may set.
 *
 * @param name   the name of the value
 * @param now    reads the value
 * @param before the value at the snapshot
 * @param lazy   tells a default that the JDK itself creates when it needs one
 */
record Setting(String name, Supplier<@Nullable Object> now, @Nullable Object before, Predicate<Object> lazy) implements Examined {
    private static final Predicate<Object> NONE = value -> false;
    private static final Predicate<Object> OF_JDK = value -> !Origin.isProgram(value);
    private static final String CONNECTION = "java.net.URLConnection";
    private static final String HTTPS = "javax.net.ssl.HttpsURLConnection";
    private static final String DRIVERS = "java.sql.DriverManager";
    private static final String FILTERS = "java.io.ObjectInputFilter$Config";
    private static final String RMI_SOCKETS = "java.rmi.server.RMISocketFactory";
    private static final String DEFAULT_CONTEXT = "sun.security.ssl.SSLContextImpl$DefaultSSLContext";
    private static final JdkField PROVIDERS = new JdkField("sun.security.jca.Providers", "providerList");
    private static final JdkField CONTEXT = new JdkField("javax.net.ssl.SSLContext", "contextSpi");
    private static final JdkField SOCKETS = new JdkField("sun.security.ssl.SSLSocketFactoryImpl", "context");
    /** Static fields, with the values that the JDK itself sets when there was none. */
    private static final List<StaticField> STATIC = List.of(fixed("java.net.URL", "factory"), fixed("java.net.ProxySelector", "theProxySelector"),
        fixed("java.net.Authenticator", "theAuthenticator"), fixed("java.net.CookieHandler", "cookieHandler"),
        fixed("java.net.ResponseCache", "theResponseCache"), fixed("java.net.HttpURLConnection", "followRedirects"),
        fixed(CONNECTION, "defaultUseCaches"), fixed(CONNECTION, "defaultAllowUserInteraction"), fixed(CONNECTION, "factory"),
        lazy(CONNECTION, "fileNameMap", OF_JDK), lazy("javax.net.ssl.SSLContext", "defaultContext", context -> isOfDefaultContext(CONTEXT, context)),
        fixed(HTTPS, "defaultHostnameVerifier"), lazy(HTTPS, "defaultSSLSocketFactory", factory -> isOfDefaultContext(SOCKETS, factory)),
        fixed("java.net.Socket", "factory"), fixed("java.net.ServerSocket", "factory"), fixed("java.net.DatagramSocket", "factory"),
        fixed(FILTERS, "serialFilter"), lazy(FILTERS, "serialFilterFactory", OF_JDK),
        lazy("javax.security.auth.login.Configuration", "configuration", OF_JDK), fixed(RMI_SOCKETS, "factory"), fixed(RMI_SOCKETS, "handler"),
        fixed(DRIVERS, "driversInitialized"), fixed(DRIVERS, "loginTimeout"), fixed(DRIVERS, "logWriter"), fixed(DRIVERS, "logStream"));

    /** A static field, and how to tell a default that the JDK itself creates. */
    private record StaticField(JdkField field, Predicate<Object> lazy) {}

    private static StaticField fixed(final String owner, final String name) {
        return lazy(owner, name, NONE);
    }

    private static StaticField lazy(final String owner, final String name, final Predicate<Object> lazy) {
        return new StaticField(new JdkField(owner, name), lazy);
    }

    /** Returns the settings to examine, each with its present value once it is asked for. */
    static Stream<Supplier<Examined>> all() {
        final Stream<Supplier<Examined>> ofSystem = Stream.of(() -> of("default locale", Locale::getDefault),
            () -> of("default locale of texts", () -> Locale.getDefault(Locale.Category.DISPLAY)),
            () -> of("default locale of numbers", () -> Locale.getDefault(Locale.Category.FORMAT)),
            () -> of("default time zone", TimeZone::getDefault), () -> of("System.out", () -> System.out), () -> of("System.err", () -> System.err),
            () -> of("System.in", () -> System.in), () -> of("default handler of exceptions", Thread::getDefaultUncaughtExceptionHandler),
            // the list has no equals, and another list of the same providers is as good
            () -> of(PROVIDERS.toString(), () -> String.valueOf(PROVIDERS.get(null))));
        return Stream.concat(ofSystem, STATIC.stream().map(f -> () -> of(f)));
    }

    private static Examined of(final String name, final Supplier<@Nullable Object> now) {
        return new Setting(name, now, now.get(), NONE);
    }

    private static Examined of(final StaticField named) {
        final JdkField field = named.field();
        return field.open() == null ? NOTHING : new Setting(field.toString(), () -> field.get(null), field.get(null), named.lazy());
    }

    private static boolean isOfDefaultContext(final JdkField implementing, final Object value) {
        final Field field = implementing.open();
        final Object implementation = field == null || !field.getDeclaringClass().isInstance(value) ? null : JdkField.read(field, value);
        return implementation != null && implementation.getClass().getName().equals(DEFAULT_CONTEXT);
    }

    @Override
    public List<String> differences() {
        final Object value = now.get();
        final boolean isSame = Objects.equals(before, value) || before == null && value != null && lazy.test(value);
        return isSame ? List.of() : List.of(name + " has changed: before=" + text(before) + ", now=" + text(value));
    }

    private static String text(final @Nullable Object value) {
        return switch (value) {
            case null -> "none";
            case final Locale locale -> locale.toLanguageTag();
            case final TimeZone zone when !Origin.isProgram(zone) -> zone.getID();
            case final Boolean flag -> flag.toString();
            default -> Origin.text(value);
        };
    }
}
