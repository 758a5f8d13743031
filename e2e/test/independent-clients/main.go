// A client of golang.org/x/oauth2: gets a token for a device, or with a client certificate, and prints the response as JSON.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

func main() {
	token, err := map[string]func() (*oauth2.Token, error){"device": device, "certificate": certificate}[os.Args[1]]()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	print(map[string]any{"type": token.TokenType, "token": token.AccessToken, "refresh": token.RefreshToken != ""})
}

// The first line has what the person needs.
func device() (*oauth2.Token, error) {
	config := &oauth2.Config{
		ClientID: os.Getenv("CLIENT_ID"),
		Scopes:   []string{"openid", "offline_access"},
		Endpoint: oauth2.Endpoint{
			DeviceAuthURL: os.Getenv("DEVICE_URL"),
			TokenURL:      os.Getenv("TOKEN_URL"),
			AuthStyle:     oauth2.AuthStyleInParams,
		},
	}
	begun, err := config.DeviceAuth(context.Background())
	if err != nil {
		return nil, err
	}
	print(map[string]any{"code": begun.UserCode})
	return config.DeviceAccessToken(context.Background(), begun)
}

func certificate() (*oauth2.Token, error) {
	pair, err := tls.X509KeyPair([]byte(os.Getenv("CERTIFICATE")), []byte(os.Getenv("KEY")))
	if err != nil {
		return nil, err
	}
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM([]byte(os.Getenv("AUTHORITY")))
	own := &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: authorities}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: own}}
	config := &clientcredentials.Config{
		ClientID:  os.Getenv("CLIENT_ID"),
		TokenURL:  os.Getenv("TOKEN_URL"),
		AuthStyle: oauth2.AuthStyleInParams,
	}
	return config.Token(context.WithValue(context.Background(), oauth2.HTTPClient, client))
}

func print(value any) {
	line, _ := json.Marshal(value)
	fmt.Println(string(line))
}
