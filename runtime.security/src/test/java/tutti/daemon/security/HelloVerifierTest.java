package tutti.daemon.security;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/** Tests of signed hellos: which of them a node accepts, and what it tells the others. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HelloVerifierTest {
    private static final Set<Integer> PORTS = Set.of(7001, 17001);
    private static final Hello HELLO = new Hello("client", "{\"protocol\":1}".getBytes(StandardCharsets.US_ASCII));

    private final ClusterSecret secret = ClusterSecret.random();
    private final AtomicLong now = new AtomicLong(1_000_000_000L);
    private final HelloVerifier verifier = new HelloVerifier(secret, now::get);

    private static Hello sign(final ClusterSecret by, final int port, final long millis) {
        final Transport unused = (Transport) Proxy.newProxyInstance(Transport.class.getClassLoader(), new Class<?>[] {Transport.class},
            (proxy, method, args) -> {
                throw new UnsupportedOperationException(method.getName());
            });
        return new HelloSigner(unused, by).sign(HELLO, port, millis);
    }

    private String refusal(final Hello hello) {
        final String message = assertThrows(RefusedException.class, () -> verifier.verify(hello, PORTS)).getMessage();
        assertTrue(message.length() <= 200, () -> "longer than what the peer gets: " + message);
        return message;
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void shouldFindTheRoleAndTheHelloOfTheSender(final Role role) throws RefusedException {
        final HelloVerifier.Verified verified = verifier.verify(sign(secret.derive(role), 17001, now.get()), PORTS);
        assertEquals(role, verified.role());
        assertEquals("secret for role " + role, verified.owner());
        assertEquals("client", verified.hello().purpose());
        assertArrayEquals(HELLO.payload(), verified.hello().payload());
    }

    @Test
    void shouldRefuseAHelloWithoutASignature() {
        assertTrue(refusal(HELLO).startsWith("no secret was given"));
        assertTrue(refusal(new Hello("client", new byte[0])).startsWith("no secret was given"));
    }

    @Test
    void shouldRefuseTheSecretOfAnotherClusterAndAHigherRoleThanThatOfTheSecret() {
        assertTrue(refusal(sign(ClusterSecret.random(), 7001, now.get())).startsWith("the secret is not that of this cluster"));
        final Hello observer = sign(secret.derive(Role.OBSERVE), 7001, now.get());
        observer.payload()[1] = (byte) Role.NODE.ordinal();
        assertTrue(refusal(observer).startsWith("the secret is not that of this cluster"));
        observer.payload()[1] = 77;
        assertEquals("bad signature of a hello: role=77", refusal(observer));
    }

    @Test
    void shouldRefuseAHelloOfWhichAnyPartWasChanged() {
        for (int i = 2; i < sign(secret, 7001, now.get()).payload().length; i++) {
            final Hello changed = sign(secret, 7001, now.get());
            changed.payload()[i] ^= 1;
            assertTrue(refusal(changed).startsWith("the secret is not that of this cluster"), "octet " + i);
        }
        final Hello signed = sign(secret, 7001, now.get());
        assertTrue(refusal(new Hello("node", signed.payload())).startsWith("the secret is not that of this cluster"));
    }

    @Test
    void shouldRefuseAHelloForAnotherPortThatIsSentAgainOrThatIsOld() throws RefusedException {
        assertTrue(refusal(sign(secret, 7002, now.get())).startsWith("the secret is not that of this cluster"));
        final Hello hello = sign(secret, 7001, now.get());
        verifier.verify(hello, PORTS);
        assertEquals("the hello was sent before", refusal(hello));
        now.addAndGet(TimeUnit.MINUTES.toMillis(HelloVerifier.WINDOW_MINUTES));
        assertEquals("the hello was sent before", refusal(hello));
        now.addAndGet(1);
        assertEquals("clocks differ by 300 s, max=300 s: set the clocks of both hosts", refusal(hello));
        assertTrue(refusal(sign(secret, 7001, now.get() + 301_000)).startsWith("clocks differ by 301 s"));
    }

    @Test
    void shouldLetEverybodyDoEverythingOnANodeWithoutASecret() throws RefusedException {
        final HelloVerifier open = new HelloVerifier(null);
        assertEquals(Role.NODE, open.verify(HELLO, PORTS).role());
        assertNull(open.verify(HELLO, PORTS).owner());
        final HelloVerifier.Verified signed = open.verify(sign(secret.derive(Role.OBSERVE), 7001, 0), PORTS);
        assertEquals(Role.NODE, signed.role());
        assertArrayEquals(HELLO.payload(), signed.hello().payload());
    }
}
