// A Spring Boot application on http://localhost:4000: pages for people who sign in through Signet, and an API under /api.
package example;

import java.util.Map;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class Shop {
  public static void main(String[] args) {
    SpringApplication.run(Shop.class, args);
  }

  @GetMapping("/")
  Map<String, Object> home(@AuthenticationPrincipal OidcUser user) {
    return user.getClaims();
  }

  // Shows the access token, to try the API with curl. A real application keeps it on the server.
  @GetMapping("/token")
  String token(@RegisteredOAuth2AuthorizedClient("signet") OAuth2AuthorizedClient client) {
    return client.getAccessToken().getTokenValue();
  }

  @GetMapping("/api/hello")
  Map<String, Object> hello(@AuthenticationPrincipal Jwt token) {
    return Map.of("hello", token.getSubject());
  }

  @Bean
  @Order(1)
  SecurityFilterChain api(HttpSecurity http) throws Exception {
    return http.securityMatcher("/api/**")
        .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
        .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
        .build();
  }

  @Bean
  @Order(2)
  SecurityFilterChain pages(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
        .oauth2Login(login -> login.redirectionEndpoint(callback -> callback.baseUri("/callback")))
        .build();
  }

  // JWT access tokens have the type at+jwt (RFC 9068), which the decoder of `jwt.issuer-uri` refuses.
  @Bean
  JwtDecoder decoder(@Value("${signet.issuer}") String issuer, @Value("${CLIENT_ID}") String clientId) {
    var decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
    decoder.setJwtValidator(JwtValidators.createAtJwtValidator()
        .issuer(issuer).audience("portal").clientId(clientId).build());
    return decoder;
  }
}
